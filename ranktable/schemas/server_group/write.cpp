// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

void write_if_there(JsonWriter& out, std::string_view key, const std::string& text) {
  if (!text.empty()) out.text(key, text);
}

void write_device(JsonWriter& out, const GroupDevice& device) {
  out.object([&] {
    out.number_text("device_id", device.device_id);
    out.text("device_ip", device.device_ip);
    if (device.logical_id) out.number_text("device_logical_id", *device.logical_id);
    write_if_there(out, "super_device_id", device.super_device_id);
    out.number_text("rank_id", device.rank_id);
    out.extras(device.extras);
  });
}

// MindIE takes a server for one of its own by the absence of "device".
void write_server(JsonWriter& out, const GroupServer& server) {
  out.object([&] {
    write_if_there(out, "server_id", server.server_id);
    write_if_there(out, "server_ip", server.server_ip);
    write_if_there(out, "container_ip", server.container_ip);
    if (!server.devices.empty()) out.list("device", server.devices, write_device);
    out.extras(server.extras);
  });
}

void write_group(JsonWriter& out, const ServerGroup& group) {
  out.object([&] {
    out.text("group_id", group.group_id);
    write_if_there(out, "deploy_server", group.deploy_server);
    out.number_text("server_count", static_cast<std::int64_t>(group.servers.size()));
    out.list("server_list", group.servers, write_server);
    write_super_pods(out, group.super_pods);
    out.extras(group.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const ServerGroupTable& table) {
  out.object([&] {
    write_if_there(out, "version", table.version);
    write_if_there(out, "status", table.status);
    out.list("server_group_list", table.groups, write_group);
    out.extras(table.extras);
  });
}

}  // namespace adarun::ranktable
