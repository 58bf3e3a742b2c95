// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
namespace {

constexpr Rule has_one_device{"must have exactly one device", "EI0014", "write an instance for each device"};

struct LabDevice {
  int device_id = unreadable;
  std::string device_ip;
  std::vector<Extra> extras;
};

LabDevice read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  LabDevice device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.extras = fields.extras();
  return device;
}

LabInstance read_instance(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  LabInstance instance;
  std::vector<LabDevice> devices = fields.list("devices", read_device);
  if (devices.size() != 1) {
    fields.report("devices", has_one_device, std::to_string(devices.size()) + " devices");
    devices.resize(1);
  }
  instance.device_id = devices.front().device_id;
  instance.device_ip = std::move(devices.front().device_ip);
  instance.device_extras = std::move(devices.front().extras);
  instance.rank_id = fields.number_text("rank_id");
  instance.server_id = fields.text("server_id");
  instance.extras = fields.extras();
  return instance;
}

LabGroup read_group(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  LabGroup group;
  group.group_name = fields.optional_text("group_name");
  group.instances = fields.list("instance_list", read_instance);
  group.wrong_device_num = fields.wrong_count_text("device_num", group.instances.size());
  group.wrong_server_num = fields.wrong_count_text("server_num", server_count(group));
  group.wrong_instance_count = fields.wrong_count_text("instance_count", group.instances.size());
  group.extras = fields.extras();
  return group;
}

}  // namespace

bool is_lab(JsonValue root) {
  return !root.member("version") && root.member("group_list") && root.member("deploy_mode");
}

LabTable parse_lab(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  LabTable table;
  table.board_id = fields.text("board_id");
  table.chip_info = fields.text("chip_info");
  table.deploy_mode = fields.text("deploy_mode");
  table.groups = fields.list("group_list", read_group);
  table.wrong_group_count = fields.wrong_count_text("group_count", table.groups.size());
  table.para_plane_nic_location = fields.text("para_plane_nic_location");
  table.para_plane_nic_names = fields.texts("para_plane_nic_name");
  table.wrong_nic_num = fields.wrong_count_text("para_plane_nic_num", table.para_plane_nic_names.size());
  table.status = fields.text("status");
  table.extras = fields.extras();
  return table;
}

}  // namespace adarun::ranktable
