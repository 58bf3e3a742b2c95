// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/conversions.h"
#include "ranktable/convert/invented.h"

namespace adarun::ranktable {

LabTable to_lab(const Table& ranks, Additions& additions) {
  LabTable lab;
  lab.status = ranks.status;
  LabGroup& group = lab.groups.emplace_back();
  group.group_name = invented::group_name;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices)
      group.instances.push_back({device.device_id, device.device_ip, device.rank_id, server.server_id});
  lab.para_plane_nic_names = invented::nic_names(ranks);
  additions.push_back("$.board_id: \"" + lab.board_id + "\", which is x86: arm has \"0x0020\"");
  additions.push_back("$.chip_info: \"" + lab.chip_info + "\"");
  additions.push_back("$.group_list[0].group_name: \"" + group.group_name + "\"");
  additions.emplace_back("$.para_plane_nic_name: eth and each device_id");
  return lab;
}

}  // namespace adarun::ranktable
