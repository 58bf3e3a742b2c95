// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

GroupDevice read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  GroupDevice device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.rank_id = fields.number_text("rank_id");
  if (fields.has("device_logical_id")) device.logical_id = fields.number_text("device_logical_id");
  device.super_device_id = fields.optional_text("super_device_id");
  device.extras = fields.extras();
  return device;
}

GroupServer read_server(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  GroupServer server;
  server.server_id = fields.optional_text("server_id");
  server.server_ip = fields.optional_text("server_ip");
  server.container_ip = fields.optional_text("container_ip");
  server.devices = fields.optional_list("device", read_device);
  server.extras = fields.extras();
  return server;
}

ServerGroup read_group(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  ServerGroup group;
  group.group_id = fields.text("group_id");
  group.deploy_server = fields.optional_text("deploy_server");
  group.servers = fields.list("server_list", read_server);
  group.wrong_server_count = fields.wrong_count_text("server_count", group.servers.size());
  group.super_pods = read_super_pods(fields);
  group.extras = fields.extras();
  return group;
}

}  // namespace

bool is_server_group(JsonValue root) {
  return root.member("server_group_list").has_value();
}

ServerGroupTable parse_server_group(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  ServerGroupTable table;
  table.version = fields.optional_text("version");
  table.status = fields.optional_text("status");
  table.groups = fields.list("server_group_list", read_group);
  table.extras = fields.extras();
  return table;
}

}  // namespace adarun::ranktable
