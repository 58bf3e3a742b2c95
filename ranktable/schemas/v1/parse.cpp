// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {
namespace {

template <bool with_super_pods>
Device read_device(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  Device device;
  device.device_id = fields.number_text("device_id");
  device.device_ip = fields.optional_text("device_ip");
  if (with_super_pods) device.super_device_id = fields.optional_text("super_device_id");
  device.rank_id = fields.number_text("rank_id");
  device.extras = fields.extras();
  return device;
}

template <bool with_super_pods>
Server read_server(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  Server server;
  server.server_id = fields.text("server_id");
  server.devices = fields.list("device", read_device<with_super_pods>);
  server.host_nic_ip = fields.optional_text("host_nic_ip");
  server.extras = fields.extras();
  return server;
}

// A server_group table may have the same versions.
bool has_version(JsonValue root, std::string_view wanted) {
  const std::optional<JsonValue> version = root.member("version");
  return version && version->is_text(wanted) && !root.member("server_group_list");
}

}  // namespace

bool is_v1_0(JsonValue root) {
  return has_version(root, "1.0");
}

bool is_v1_2(JsonValue root) {
  return has_version(root, "1.2");
}

Table parse_v1(JsonValue root, Findings& findings) {
  const Path path;
  JsonFields fields(root, path, findings);
  Table table;
  table.version = fields.text("version");
  const bool with_super_pods = table.version == "1.2";
  table.servers = fields.list("server_list", with_super_pods ? read_server<true> : read_server<false>);
  // Optional in HCCL's guide for A3, required in those for other generations.
  if (!with_super_pods || fields.has("server_count"))
    table.wrong_server_count = fields.wrong_count_text("server_count", table.servers.size());
  if (with_super_pods) table.super_pods = read_super_pods(fields);
  table.status = fields.text("status");
  table.extras = fields.extras();
  return table;
}

}  // namespace adarun::ranktable
