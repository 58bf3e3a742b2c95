// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
namespace {

void add_instance(std::vector<Fact>& facts, const std::string& path, const LabInstance& instance) {
  add_facts(facts, Topic::own, item_path(path + ".devices", 0), instance.device_extras);
  add_facts(facts, Topic::own, path, instance.extras);
}

}  // namespace

std::vector<Fact> facts_of(const LabTable& table) {
  const LabTable usual;
  std::vector<Fact> facts;
  add_unless(facts, "$.board_id", table.board_id, usual.board_id);
  add_unless(facts, "$.chip_info", table.chip_info, usual.chip_info);
  add_unless(facts, "$.deploy_mode", table.deploy_mode, usual.deploy_mode);
  add_group_facts(facts, table.groups, add_instance);
  add_unless(facts, "$.para_plane_nic_location", table.para_plane_nic_location,
             usual.para_plane_nic_location);
  if (!table.para_plane_nic_names.empty() && table.para_plane_nic_names != default_nic_names(as_v1(table)))
    facts.push_back({Topic::own, "$.para_plane_nic_name",
                     in_quotes(table.para_plane_nic_names.front()) +
                         (table.para_plane_nic_names.size() > 1 ? ", ..." : "")});
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
