// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/fact.h"
#include "ranktable/json/path.h"

namespace adarun::ranktable {

std::string at(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

void add_facts(std::vector<Fact>& facts, Topic topic, const std::string& path,
               const std::vector<Extra>& fields) {
  for (const Extra& field : fields) facts.push_back({topic, path + step_to(field.name), field.json});
}

std::vector<Fact> facts_of(const AnyTable& table) {
  return std::visit([](const auto& each) { return facts_of(each); }, table);
}

}  // namespace adarun::ranktable
