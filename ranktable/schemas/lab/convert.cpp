// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {

Table as_v1(const LabTable& table) {
  TableBuilder builder;
  for (const LabGroup& group : table.groups)
    for (const LabInstance& instance : group.instances)
      builder.add(instance.server_id, {instance.device_id, instance.device_ip, instance.rank_id});
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
      group.instances.push_back({device.device_id, device.device_ip, device.rank_id, server.server_id});
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
