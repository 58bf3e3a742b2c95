// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {
namespace {

CloudDevice read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  CloudDevice device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.extras = fields.extras();
  return device;
}

CloudInstance read_instance(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  CloudInstance instance;
  instance.pod_name = fields.text("pod_name");
  instance.server_id = fields.text("server_id");
  instance.devices = fields.list("devices", read_device);
  instance.extras = fields.extras();
  return instance;
}

CloudGroup read_group(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  CloudGroup group;
  group.group_name = fields.optional_text("group_name");
  group.instances = fields.list("instance_list", read_instance);
  group.wrong_instance_count = fields.wrong_count_text("instance_count", group.instances.size());
  group.wrong_device_count = fields.wrong_count_text("device_count", device_count(group));
  group.extras = fields.extras();
  return group;
}

}  // namespace

bool is_cloud(JsonValue root) {
  return !root.member("version") && root.member("group_list") && !root.member("deploy_mode");
}

CloudTable parse_cloud(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  CloudTable table;
  table.status = fields.text("status");
  table.groups = fields.list("group_list", read_group);
  table.wrong_group_count = fields.wrong_count_text("group_count", table.groups.size());
  table.extras = fields.extras();
  return table;
}

}  // namespace adarun::ranktable
