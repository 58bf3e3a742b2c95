// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/quote.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
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
                          .device_ids = group_list_device_ids,
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
    names.check(table.groups[i].group_name, i, findings);
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
