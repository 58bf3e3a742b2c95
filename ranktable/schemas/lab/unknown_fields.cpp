// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/unknown_fields.h"

#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
namespace {

constexpr KnownFields root_fields{{"board_id", "chip_info", "deploy_mode", "group_count", "group_list",
                                   "para_plane_nic_location", "para_plane_nic_name", "para_plane_nic_num",
                                   "status"}};
constexpr KnownFields group_fields{
    {"device_num", "server_num", "group_name", "instance_count", "instance_list"}};
constexpr KnownFields instance_fields{{"devices", "rank_id", "server_id"}, node_fields};
constexpr KnownFields device_fields{{"device_id", "device_ip"}, card_fields};

}  // namespace

void check_unknown_fields(const LabTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const LabGroup& group = table.groups[i];
    unknown.check(group.extras, group_fields, [i] { return group_path(i); });
    for (std::size_t j = 0; j < group.instances.size(); ++j) {
      const auto path = [i, j] { return instance_path(i, j); };
      unknown.check(group.instances[j].extras, instance_fields, path);
      unknown.check(group.instances[j].device_extras, device_fields, path_of_item(path, "devices", 0));
    }
  }
}

}  // namespace adarun::ranktable
