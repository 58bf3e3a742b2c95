// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/lab/schema.h"

#include <set>
#include <string_view>
#include <unordered_set>

#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/group_list.h"

namespace adarun::ranktable {

bool is_lab(JsonValue root) {
  return !root.member("version") && root.member("group_list") && root.member("deploy_mode");
}

std::size_t device_count(const LabTable& table) {
  std::size_t count = 0;
  for (const LabGroup& group : table.groups) count += group.instances.size();
  return count;
}

std::size_t server_count(const LabGroup& group) {
  std::unordered_set<std::string_view> ids;
  for (const LabInstance& instance : group.instances) ids.insert(instance.server_id);
  return ids.size();
}

std::size_t server_count(const LabTable& table) {
  std::unordered_set<std::string_view> ids;
  for (const LabGroup& group : table.groups)
    for (const LabInstance& instance : group.instances) ids.insert(instance.server_id);
  return ids.size();
}

void keep(LabTable& table, const KeptDevices& kept) {
  for (LabGroup& group : table.groups) {
    std::erase_if(group.instances, [&kept](const LabInstance& instance) {
      return !kept.has(instance.server_id, instance.device.device_id);
    });
    for (LabInstance& instance : group.instances) instance.rank_id = kept.new_rank(instance.rank_id);
    group.wrong_device_num.reset();
    group.wrong_server_num.reset();
    group.wrong_instance_count.reset();
  }
  std::erase_if(table.groups, [](const LabGroup& group) { return group.instances.empty(); });
  table.wrong_group_count.reset();
}

namespace {

// The para_plane_nic_name that `to_lab` writes.
std::vector<std::string> default_nic_names(const Table& ranks) {
  std::set<int> device_ids;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices) device_ids.insert(device.device_id);
  std::vector<std::string> names;
  names.reserve(device_ids.size());
  for (const int device_id : device_ids) names.push_back("eth" + std::to_string(device_id));
  return names;
}

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

namespace {

constexpr Rule board{"board_id must be \"0x0000\" (x86) or \"0x0020\" (arm)", "EI0014",
                     "write the board's: \"0x0000\" on x86, \"0x0020\" on arm"};
constexpr Rule chip{"chip_info must be \"910\"", "EI0014",
                    "write \"910\"; other cards need a table of version 1.0"};
constexpr Rule mode{"deploy_mode must be \"lab\"", "EI0014",
                    "write \"lab\", or leave deploy_mode out of a cloud table"};
constexpr Rule location{"para_plane_nic_location must be \"device\"", "EI0014",
                        "write \"device\": HCCL uses the cards' own network"};
constexpr Rule nic_num{"para_plane_nic_num must be the number of para_plane_nic_name", "EI0014",
                       "write the number of names, as a string"};
constexpr Rule group_count{"group_count must be the number of groups", "EI0014",
                           "write the number of groups, as a string"};
constexpr Rule device_num{"device_num must be the number of devices in the group", "EI0014",
                          "write the number of devices, as a string"};
constexpr Rule server_num{"server_num must be the number of servers in the group", "EI0014",
                          "write the number of servers, as a string"};
constexpr Rule instance_count{"instance_count must be the number of instances, one for each device", "EI0014",
                              "write the number of devices, as a string"};

constexpr Rule lab_is_910s{"lab tables are Ascend 910's", "",
                           "make it a table of version 1.0: adarun ranktable convert --to 1.0",
                           Severity::warning};

constexpr SchemaForm form{.name = "lab",
                          .lists = {"group_list", "instance_list", "devices"},
                          .rank_depth = 2,
                          .largest_device_id = largest_group_list_device_id,
                          .device_id_rule = &group_list_device_id,
                          .schema_path = "$",
                          .generations = {true, false, false, false},
                          .of_other_generations = &lab_is_910s};

void check_root(const LabTable& table, Findings& findings) {
  if (table.board_id != "0x0000" && table.board_id != "0x0020")
    report(findings, board, "$.board_id", in_quotes(table.board_id));
  if (table.chip_info != "910") report(findings, chip, "$.chip_info", in_quotes(table.chip_info));
  if (table.deploy_mode != "lab") report(findings, mode, "$.deploy_mode", in_quotes(table.deploy_mode));
  if (table.para_plane_nic_location != "device")
    report(findings, location, "$.para_plane_nic_location", in_quotes(table.para_plane_nic_location));
  check_count(table.wrong_nic_num, table.para_plane_nic_names.size(), nic_num, "$.para_plane_nic_num",
              findings);
  check_count(table.wrong_group_count, table.groups.size(), group_count, "$.group_count", findings);
}

void check_group(const LabGroup& group, std::size_t index, Findings& findings) {
  const std::string path = group_path(index);
  const std::size_t count = group.instances.size();
  check_has_instances(count, index, findings);
  check_count(group.wrong_device_num, count, device_num, path + ".device_num", findings);
  check_count(group.wrong_server_num, server_count(group), server_num, path + ".server_num", findings);
  check_count(group.wrong_instance_count, count, instance_count, path + ".instance_count", findings);
  for (std::size_t i = 0; i < count; ++i)
    check_server_id(group.instances[i].server_id, instance_path(index, i) + ".server_id", findings);
}

void check_table(const LabTable& table, Findings& findings) {
  check_root(table, findings);
  check_has_groups(table.groups.size(), findings);
  GroupNames names;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    check_group_name(table.groups[i].group_name, i, names, findings);
    check_group(table.groups[i], i, findings);
  }
}

DeviceIndex index_of(const LabTable& table) {
  DeviceIndex index;
  index.form = &form;
  ServerNumbers numbers;
  for (std::uint32_t g = 0; g < table.groups.size(); ++g) {
    const std::vector<LabInstance>& instances = table.groups[g].instances;
    for (std::uint32_t i = 0; i < instances.size(); ++i) {
      const LabInstance& each = instances[i];
      index.entries.push_back({numbers.of(each.server_id),
                               each.device.device_id,
                               each.rank_id,
                               each.device.device_ip,
                               {g, i, 0}});
    }
  }
  index.servers = numbers.count();
  return index;
}

}  // namespace

void check(const LabTable& table, const ValidateOptions& options, Findings& findings) {
  const DeviceIndex index = index_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_table(table, findings);
  check_device_ids(index, findings);
  check_ranks(index, findings);
  check_addresses(index, options, findings);
  check_generations(index, options, findings);
  check_profile(index, options, findings);
}

}  // namespace adarun::ranktable
