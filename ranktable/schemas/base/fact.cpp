// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/fact.h"

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {

void add_facts(std::vector<Fact>& facts, Topic topic, const std::string& path,
               const std::vector<Extra>& fields) {
  for (const Extra& field : fields) facts.push_back({topic, path + member_step(field.name), field.json});
}

void add_unless(std::vector<Fact>& facts, const std::string& path, const std::string& value,
                const std::string& usual) {
  if (value != usual) facts.push_back({Topic::own, path, in_quotes(value)});
}

}  // namespace adarun::ranktable
