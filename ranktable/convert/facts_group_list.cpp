// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/conversions.h"
#include "ranktable/convert/fact.h"
#include "ranktable/convert/invented.h"
#include "ranktable/json/quote.h"

namespace adarun::ranktable {
namespace {

void add_unless(std::vector<Fact>& facts, const std::string& path, const std::string& value,
                const std::string& usual) {
  if (value != usual) facts.push_back({Topic::own, path, in_quotes(value)});
}

void add_instance(std::vector<Fact>& facts, const std::string& path, const CloudInstance& instance) {
  add_unless(facts, path + ".pod_name", instance.pod_name, instance.server_id);
  for (std::size_t i = 0; i < instance.devices.size(); ++i)
    add_facts(facts, Topic::own, at(path + ".devices", i), instance.devices[i].extras);
  add_facts(facts, Topic::own, path, instance.extras);
}

void add_instance(std::vector<Fact>& facts, const std::string& path, const LabInstance& instance) {
  add_facts(facts, Topic::own, at(path + ".devices", 0), instance.device_extras);
  add_facts(facts, Topic::own, path, instance.extras);
}

template <typename Group>
void add_groups(std::vector<Fact>& facts, const std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string path = at("$.group_list", i);
    add_unless(facts, path + ".group_name", groups[i].group_name, invented::group_name);
    for (std::size_t j = 0; j < groups[i].instances.size(); ++j)
      add_instance(facts, at(path + ".instance_list", j), groups[i].instances[j]);
    add_facts(facts, Topic::own, path, groups[i].extras);
  }
}

}  // namespace

std::vector<Fact> facts_of(const CloudTable& table) {
  std::vector<Fact> facts;
  add_groups(facts, table.groups);
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

std::vector<Fact> facts_of(const LabTable& table) {
  const LabTable usual;
  std::vector<Fact> facts;
  add_unless(facts, "$.board_id", table.board_id, usual.board_id);
  add_unless(facts, "$.chip_info", table.chip_info, usual.chip_info);
  add_unless(facts, "$.deploy_mode", table.deploy_mode, usual.deploy_mode);
  add_groups(facts, table.groups);
  add_unless(facts, "$.para_plane_nic_location", table.para_plane_nic_location,
             usual.para_plane_nic_location);
  if (!table.para_plane_nic_names.empty() &&
      table.para_plane_nic_names != invented::nic_names(from_lab(table)))
    facts.push_back({Topic::own, "$.para_plane_nic_name",
                     in_quotes(table.para_plane_nic_names.front()) +
                         (table.para_plane_nic_names.size() > 1 ? ", ..." : "")});
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
