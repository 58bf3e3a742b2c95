// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {
namespace {

void write_device(JsonWriter& out, const CloudDevice& device) {
  out.object([&] {
    out.number_text("device_id", device.device_id);
    out.text("device_ip", device.device_ip);
    out.extras(device.extras);
  });
}

void write_instance(JsonWriter& out, const CloudInstance& instance) {
  out.object([&] {
    out.text("pod_name", instance.pod_name);
    out.text("server_id", instance.server_id);
    out.list("devices", instance.devices, write_device);
    out.extras(instance.extras);
  });
}

void write_group(JsonWriter& out, const CloudGroup& group) {
  out.object([&] {
    out.text("group_name", group.group_name);
    out.number_text("instance_count", group.instances.size());
    out.number_text("device_count", device_count(group));
    out.list("instance_list", group.instances, write_instance);
    out.extras(group.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const CloudTable& table) {
  out.object([&] {
    out.text("status", table.status);
    out.number_text("group_count", table.groups.size());
    out.list("group_list", table.groups, write_group);
    out.extras(table.extras);
  });
}

}  // namespace adarun::ranktable
