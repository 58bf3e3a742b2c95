// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/plain.h"

#include <cstddef>
#include <set>

#include "ranktable/model/error.h"
#include "ranktable/model/server_name.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t longest_host_name = 253;  // RFC 1035 without the last dot

Server plain_server(const PlainNode& node, int& next_rank) {
  if (node.device_ids.empty()) throw Error("server " + node.server_id + ": no devices, wanted at least one");
  Server server{node.server_id, reserved_host_nic_ip, {}};
  std::set<int> seen;
  for (const int device_id : node.device_ids) {
    if (device_id < 0 || !seen.insert(device_id).second)
      throw Error("server " + node.server_id + ": device_id " + std::to_string(device_id) +
                  (device_id < 0 ? " is negative" : " comes twice"));
    server.devices.push_back({device_id, "", next_rank++});
  }
  return server;
}

}  // namespace

Table plain(std::span<const PlainNode> nodes) {
  if (nodes.empty()) throw Error("rank table: no servers, wanted at least one");
  Table table;
  std::set<std::string> seen;
  int next_rank = 0;
  for (const PlainNode& node : nodes) {
    require_server_id(node.server_id, longest_host_name);
    if (!seen.insert(node.server_id).second) throw Error("server " + node.server_id + " comes twice");
    table.servers.push_back(plain_server(node, next_rank));
  }
  return table;
}

}  // namespace adarun::ranktable
