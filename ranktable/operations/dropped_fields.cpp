// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/dropped_fields.h"

#include <map>
#include <utility>

#include "ranktable/model/decimal.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

// "$.a[3].b[0]" -> "$.a[].b[]"
std::string without_indices(const std::string& path) {
  std::string text;
  bool is_index = false;
  for (const char byte : path) {
    if (!is_digit(byte)) is_index = false;
    if (!is_index) text += byte;
    if (byte == '[') is_index = true;
  }
  return text;
}

struct FactGroup {
  const Fact* first = nullptr;
  std::size_t count = 0;
};

}  // namespace

std::vector<std::string> dropped_fields(const AnyTable& table, Schema to) {
  const std::vector<Fact> facts = std::visit([](const auto& each) { return facts_of(each); }, table);
  const SchemaEntry& target = entry_of(to);
  std::vector<FactGroup> groups;
  std::map<std::pair<Topic, std::string>, std::size_t> places;
  for (const Fact& fact : facts) {
    if (target.has_place(fact.topic)) continue;
    const auto [place, is_new] =
        places.emplace(std::pair(fact.topic, without_indices(fact.path)), groups.size());
    if (is_new) groups.push_back({&fact, 0});
    ++groups[place->second].count;
  }
  std::vector<std::string> lines;
  lines.reserve(groups.size());
  for (const FactGroup& group : groups)
    lines.push_back(group.first->path + ": " + group.first->value +
                    (group.count > 1 ? " (and " + std::to_string(group.count - 1) + " more)" : ""));
  return lines;
}

}  // namespace adarun::ranktable
