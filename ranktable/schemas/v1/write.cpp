// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/super_pods.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {
namespace {

void write_device(JsonWriter& out, const Device& device) {
  out.object([&] {
    out.number_text("device_id", device.device_id);
    out.text("device_ip", device.device_ip);
    if (!device.super_device_id.empty()) out.text("super_device_id", device.super_device_id);
    out.number_text("rank_id", device.rank_id);
    out.extras(device.extras);
  });
}

void write_server(JsonWriter& out, const Server& server) {
  out.object([&] {
    out.text("server_id", server.server_id);
    out.list("device", server.devices, write_device);
    if (!server.host_nic_ip.empty()) out.text("host_nic_ip", server.host_nic_ip);
    out.extras(server.extras);
  });
}

}  // namespace

void write_table(JsonWriter& out, const Table& table) {
  out.object([&] {
    out.text("version", table.version);
    out.number_text("server_count", table.servers.size());
    out.list("server_list", table.servers, write_server);
    write_super_pods(out, table.super_pods);
    out.text("status", table.status);
    out.extras(table.extras);
  });
}

}  // namespace adarun::ranktable
