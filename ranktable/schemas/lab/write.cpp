// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
namespace {

void write_instance(JsonWriter& out, const LabInstance& instance) {
  out.object([&] {
    out.list("devices", std::span(&instance, 1), [](JsonWriter& device_out, const LabInstance& device) {
      device_out.object([&] {
        device_out.number_text("device_id", device.device_id);
        device_out.text("device_ip", device.device_ip);
        device_out.extras(device.device_extras);
      });
    });
    out.number_text("rank_id", instance.rank_id);
    out.text("server_id", instance.server_id);
    out.extras(instance.extras);
  });
}

void write_group(JsonWriter& out, const LabGroup& group) {
  out.object([&] {
    out.number_text("device_num", group.instances.size());
    out.number_text("server_num", server_count(group));
    out.text("group_name", group.group_name);
    out.number_text("instance_count", group.instances.size());
    out.list("instance_list", group.instances, write_instance);
    out.extras(group.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const LabTable& table) {
  out.object([&] {
    out.text("board_id", table.board_id);
    out.text("chip_info", table.chip_info);
    out.text("deploy_mode", table.deploy_mode);
    out.number_text("group_count", table.groups.size());
    out.list("group_list", table.groups, write_group);
    out.text("para_plane_nic_location", table.para_plane_nic_location);
    out.texts("para_plane_nic_name", table.para_plane_nic_names);
    out.number_text("para_plane_nic_num", table.para_plane_nic_names.size());
    out.text("status", table.status);
    out.extras(table.extras);
  });
}

}  // namespace adarun::ranktable
