// SPDX-License-Identifier: Apache-2.0
#include "ranktable/write.h"

#include <nlohmann/json.hpp>

#include "ranktable/error.h"

namespace adarun::ranktable {
namespace {

using Json = nlohmann::ordered_json;

void add_extras(Json& object, const std::vector<Extra>& extras) {
  for (const Extra& extra : extras) object[extra.name] = Json::parse(extra.json);
}

Json device_json(const Device& device) {
  Json json = {{"device_id", std::to_string(device.device_id)},
               {"device_ip", device.device_ip},
               {"rank_id", std::to_string(device.rank_id)}};
  add_extras(json, device.extras);
  return json;
}

Json server_json(const Server& server) {
  Json devices = Json::array();
  for (const Device& device : server.devices) devices.push_back(device_json(device));
  Json json = {{"server_id", server.server_id}, {"device", std::move(devices)}};
  if (!server.host_nic_ip.empty()) json["host_nic_ip"] = server.host_nic_ip;
  add_extras(json, server.extras);
  return json;
}

}  // namespace

std::string write(const Table& table) {
  Json servers = Json::array();
  for (const Server& server : table.servers) servers.push_back(server_json(server));
  Json root = {{"version", table.version},
               {"server_count", std::to_string(table.servers.size())},
               {"server_list", std::move(servers)},
               {"status", table.status}};
  add_extras(root, table.extras);
  try {
    return root.dump(4, ' ', true);
  } catch (const Json::type_error& error) {
    throw Error(std::string("rank table: text that is not UTF-8: ") + error.what());
  }
}

}  // namespace adarun::ranktable
