// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/lab/schema.h"

#include <set>
#include <string_view>
#include <unordered_set>

#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/table.h"

namespace adarun::ranktable {

bool is_lab(JsonValue root) {
  return !root.member("version") && root.member("group_list") && root.member("deploy_mode");
}

namespace {

using ServerIds = std::unordered_set<std::string_view>;

void insert_servers(ServerIds& ids, const LabGroup& group) {
  for (const LabInstance& instance : group.instances) ids.insert(instance.server_id);
}

}  // namespace

std::size_t device_count(const LabTable& table) {
  std::size_t count = 0;
  for (const LabGroup& group : table.groups) count += group.instances.size();
  return count;
}

std::size_t server_count(const LabGroup& group) {
  ServerIds ids;
  insert_servers(ids, group);
  return ids.size();
}

std::size_t server_count(const LabTable& table) {
  ServerIds ids;
  for (const LabGroup& group : table.groups) insert_servers(ids, group);
  return ids.size();
}

void keep(LabTable& table, const KeptDevices& kept) {
  for (LabGroup& group : table.groups) {
    keep_if(group.instances, [&kept](const LabInstance& instance) {
      return kept.has(instance.server_id, instance.device.device_id);
    });
    for (LabInstance& instance : group.instances) instance.rank_id = kept.new_rank(instance.rank_id);
    group.wrong_device_num.reset();
    group.wrong_server_num.reset();
    group.wrong_instance_count.reset();
  }
  keep_if(table.groups, [](const LabGroup& group) { return !group.instances.empty(); });
  table.wrong_group_count.reset();
}

namespace {

void add_instance(std::vector<SchemaField>& facts, const std::string& path, const LabInstance& instance) {
  add_facts(facts, FieldKind::own, item_path(path + ".devices", 0), instance.device.extras);
  add_facts(facts, FieldKind::own, path, instance.extras);
}

}  // namespace

std::vector<SchemaField> facts_of(const LabTable& table) {
  const LabTable usual;
  std::vector<SchemaField> facts;
  add_unless(facts, "$.board_id", table.board_id, usual.board_id);
  add_unless(facts, "$.chip_info", table.chip_info, usual.chip_info);
  add_unless(facts, "$.deploy_mode", table.deploy_mode, usual.deploy_mode);
  add_group_facts(facts, table.groups, add_instance);
  add_unless(facts, "$.para_plane_nic_location", table.para_plane_nic_location,
             usual.para_plane_nic_location);
  if (!table.para_plane_nic_names.empty() && table.para_plane_nic_names != default_nic_names(as_v1(table)))
    facts.push_back({FieldKind::own, "$.para_plane_nic_name",
                     in_quotes(table.para_plane_nic_names.front()) +
                         (table.para_plane_nic_names.size() > 1 ? ", ..." : "")});
  add_facts(facts, FieldKind::own, "$", table.extras);
  return facts;
}

Table as_v1(const LabTable& table) {
  TableBuilder builder;
  for (const LabGroup& group : table.groups)
    for (const LabInstance& instance : group.instances)
      builder.add(instance.server_id,
                  {instance.device.device_id, instance.device.device_ip, instance.rank_id});
  Table result = builder.take();
  result.status = table.status;
  return result;
}

LabTable to_lab(const Table& ranks, Additions& additions) {
  require_server_ids(ranks);
  LabTable lab;
  lab.status = ranks.status;
  LabGroup& group = lab.groups.emplace_back();
  group.group_name = default_group_name;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices)
      group.instances.push_back({{device.device_id, device.device_ip}, device.rank_id, server.server_id});
  lab.para_plane_nic_names = default_nic_names(ranks);
  additions.push_back("$.board_id: \"" + lab.board_id + "\", which is x86: arm has \"0x0020\"");
  additions.push_back("$.chip_info: \"" + lab.chip_info + "\"");
  additions.push_back("$.group_list[0].group_name: \"" + group.group_name + "\"");
  additions.emplace_back("$.para_plane_nic_name: eth and each device_id");
  return lab;
}

std::vector<std::string> default_nic_names(const Table& ranks) {
  std::set<int> device_ids;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices) device_ids.insert(device.device_id);
  std::vector<std::string> names;
  names.reserve(device_ids.size());
  for (const int device_id : device_ids) names.push_back("eth" + std::to_string(device_id));
  return names;
}

}  // namespace adarun::ranktable
