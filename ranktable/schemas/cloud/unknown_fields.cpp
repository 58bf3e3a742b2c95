// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/unknown_fields.h"

#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {
namespace {

constexpr KnownFields root_fields{{"status", "group_count", "group_list"}, {"board_id", "chip_info"}};
constexpr KnownFields group_fields{{"group_name", "instance_count", "device_count", "instance_list"},
                                   {"device_num", "server_num"}};
constexpr KnownFields instance_fields{{"pod_name", "server_id", "devices"}, node_fields};
constexpr KnownFields device_fields{{"device_id", "device_ip"}, card_fields};

}  // namespace

void check_unknown_fields(const CloudTable& table, Findings& findings) {
  UnknownFields unknown(findings);
  unknown.check(table.extras, root_fields, root_path);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    unknown.check(group.extras, group_fields, [i] { return group_path(i); });
    for (std::size_t j = 0; j < group.instances.size(); ++j) {
      const CloudInstance& instance = group.instances[j];
      const auto path = [i, j] { return instance_path(i, j); };
      unknown.check(instance.extras, instance_fields, path);
      for (std::size_t k = 0; k < instance.devices.size(); ++k)
        unknown.check(instance.devices[k].extras, device_fields, path_of_item(path, "devices", k));
    }
  }
}

}  // namespace adarun::ranktable
