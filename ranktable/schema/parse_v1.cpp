// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schema/parse_v1.h"

#include "ranktable/json/fields.h"

namespace adarun::ranktable {
namespace {

std::string at(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

Device read_device(const Json& json, const std::string& path, std::vector<Finding>& findings) {
  Fields fields(json, path, findings);
  Device device;
  device.device_id = fields.number("device_id");
  device.device_ip = fields.optional_text("device_ip");
  device.rank_id = fields.number("rank_id");
  device.extras = fields.extras();
  return device;
}

Server read_server(const Json& json, const std::string& path, std::vector<Finding>& findings) {
  Fields fields(json, path, findings);
  Server server;
  server.server_id = fields.text("server_id");
  if (const Json* devices = fields.list("device"))
    for (std::size_t i = 0; i < devices->items.size(); ++i)
      server.devices.push_back(read_device(devices->items[i], at(path + ".device", i), findings));
  server.host_nic_ip = fields.optional_text("host_nic_ip");
  server.extras = fields.extras();
  return server;
}

}  // namespace

Examined examine_v1(const Json& root) {
  Examined examined;
  Table& table = examined.table;
  Fields fields(root, "$", examined.findings);
  table.version = fields.text("version");
  const std::string claimed = fields.text("server_count");
  if (const Json* servers = fields.list("server_list"))
    for (std::size_t i = 0; i < servers->items.size(); ++i)
      table.servers.push_back(read_server(servers->items[i], at("$.server_list", i), examined.findings));
  table.status = fields.text("status");
  table.extras = fields.extras();
  if (claimed != std::to_string(table.servers.size())) table.wrong_server_count = claimed;
  return examined;
}

}  // namespace adarun::ranktable
