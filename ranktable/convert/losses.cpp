// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/losses.h"

#include <map>
#include <utility>

namespace adarun::ranktable {
namespace {

bool has_place(Schema schema, Topic topic) {
  const bool is_v1 = schema == Schema::v1_0 || schema == Schema::v1_2;
  switch (topic) {
    case Topic::super_pod:
      return schema == Schema::v1_2 || schema == Schema::v2_0;
    case Topic::v1_2_field:
      return schema == Schema::v1_2;
    case Topic::port:
      return is_v1 || schema == Schema::v2_0;
    case Topic::v1_field:
      return is_v1;
    case Topic::own:
      return false;
  }
  return false;
}

// "$.a[3].b[0]" -> "$.a[].b[]"
std::string without_indices(const std::string& path) {
  std::string text;
  bool is_index = false;
  for (const char byte : path) {
    if (byte < '0' || byte > '9') is_index = false;
    if (!is_index) text += byte;
    if (byte == '[') is_index = true;
  }
  return text;
}

struct Kind {
  const Fact* first = nullptr;
  std::size_t count = 0;
};

}  // namespace

std::vector<std::string> losses(const AnyTable& table, Schema to) {
  const std::vector<Fact> facts = facts_of(table);
  std::vector<Kind> kinds;
  std::map<std::pair<Topic, std::string>, std::size_t> places;
  for (const Fact& fact : facts) {
    if (has_place(to, fact.topic)) continue;
    const auto [place, is_new] =
        places.emplace(std::pair(fact.topic, without_indices(fact.path)), kinds.size());
    if (is_new) kinds.push_back({&fact, 0});
    ++kinds[place->second].count;
  }
  std::vector<std::string> lines;
  lines.reserve(kinds.size());
  for (const Kind& kind : kinds)
    lines.push_back(kind.first->path + ": " + kind.first->value +
                    (kind.count > 1 ? " (and " + std::to_string(kind.count - 1) + " more)" : ""));
  return lines;
}

}  // namespace adarun::ranktable
