// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/path.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {
namespace {

void add_instance(std::vector<Fact>& facts, const std::string& path, const CloudInstance& instance) {
  add_unless(facts, path + ".pod_name", instance.pod_name, instance.server_id);
  for (std::size_t i = 0; i < instance.devices.size(); ++i)
    add_facts(facts, Topic::own, item_path(path + ".devices", i), instance.devices[i].extras);
  add_facts(facts, Topic::own, path, instance.extras);
}

}  // namespace

std::vector<Fact> facts_of(const CloudTable& table) {
  std::vector<Fact> facts;
  add_group_facts(facts, table.groups, add_instance);
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
