// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ranktable/address.h"
#include "ranktable/convert/conversions.h"
#include "ranktable/convert/invented.h"
#include "ranktable/convert/layers.h"
#include "ranktable/convert/port.h"
#include "ranktable/error.h"
#include "ranktable/json/quote.h"
#include "ranktable/server_name.h"

namespace adarun::ranktable {
namespace {

using PodOfServer = std::map<std::string, std::string>;

// 64 is the local_id of a spare card.
constexpr int last_local_id = 63;

PodOfServer pods_of(const Table& ranks) {
  PodOfServer pod_of;
  for (const SuperPod& pod : ranks.super_pods)
    for (const SuperPodMember& member : pod.servers)
      if (const auto [known, is_new] = pod_of.emplace(member.server_id, pod.super_pod_id); !is_new)
        throw Error("server " + printable(member.server_id) + ": is in the super pods " +
                    printable(known->second) + " and " + printable(pod.super_pod_id));
  return pod_of;
}

std::string where(const Server& server, const Device& device) {
  return "server " + printable(server.server_id) + ": device " + std::to_string(device.device_id) + ": ";
}

// The one address of the card; none of a card without.
std::vector<RankAddress> addresses(const Server& server, const Device& device) {
  if (device.device_ip.empty()) return {};
  const std::optional<Address> address = parse_address(device.device_ip);
  if (!address)
    throw Error(where(server, device) + "device_ip " + in_quotes(device.device_ip) +
                ": not an IPv4 or IPv6 address, which is what a 2.0 table takes");
  const char* type = address->family == Family::ipv4 ? "IPV4" : "IPV6";
  return {{type, device.device_ip, {invented::port}, invented::plane}};
}

RankEntry entry_of(const Server& server, const Device& device, const PodOfServer& pods) {
  if (device.device_id > last_local_id)
    throw Error(where(server, device) + "wanted a device_id of 0 to 63, which is what a 2.0 table takes");
  RankEntry rank;
  rank.rank_id = device.rank_id;
  rank.local_id = device.device_id;
  rank.device_id = device.device_id;
  rank.device_port = find_port(device, "device_port");
  rank.host_port = find_port(device, "host_port");
  const std::vector<RankAddress> own = addresses(server, device);
  const auto add_layer = [&](int number, const std::string& instance, const char* net_type) {
    rank.layers.push_back({number, instance, net_type, "", own, {}});
  };
  add_layer(server_layer, server.server_id, invented::server_net_type);
  if (const auto pod = pods.find(server.server_id); pod != pods.end())
    add_layer(super_pod_layer, pod->second, invented::net_type);
  if (!own.empty()) add_layer(cluster_layer, invented::cluster_instance, invented::net_type);
  return rank;
}

}  // namespace

RankListTable to_rank_list(const Table& ranks, Additions& additions) {
  const PodOfServer pods = pods_of(ranks);
  RankListTable list;
  list.status = ranks.status;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices) list.ranks.push_back(entry_of(server, device, pods));
  std::stable_sort(list.ranks.begin(), list.ranks.end(), [](const RankEntry& left, const RankEntry& right) {
    return left.rank_id < right.rank_id;
  });
  additions.emplace_back("$.rank_list[*].local_id: the device_id");
  additions.push_back(std::string("$.rank_list[*].level_list[*].net_type: \"") + invented::server_net_type +
                      "\" on layer 0, \"" + invented::net_type + "\" above");
  if (is_plain(ranks)) return list;
  additions.emplace_back("$.rank_list[*].level_list[*].rank_addr_list: the device_ip, on every layer");
  additions.push_back(std::string("$.rank_list[*].level_list[*].rank_addr_list[0].ports: [\"") +
                      invented::port + "\"]: put the ports of your cards there");
  return list;
}

}  // namespace adarun::ranktable
