// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/rank_list/schema.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "ranktable/model/address.h"
#include "ranktable/model/error.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/base/conversion.h"

namespace adarun::ranktable {
namespace {

// The meaning of the layers, as Ascend's own generators fill them. An instance of layer 0 is a server, one of
// layer 1 a super pod; layer 3 connects all cards by the addresses that 1.x calls device_ip.
constexpr int server_layer = 0;
constexpr int super_pod_layer = 1;
constexpr int cluster_layer = 3;

// The defaults that a conversion writes for fields that only 2.0 has: the single instance of layer 3, the
// net_type of layer 0 and of those above, the plane and the port of an address.
constexpr const char* cluster_instance = "CLUSTER";
constexpr const char* server_net_type = "TOPO_FILE_DESC";
constexpr const char* upper_net_type = "CLOS";
constexpr const char* default_plane = "CLUSTER";
constexpr const char* default_port = "0/0";

// Null if the rank is not on it.
const NetLayer* find_layer(const RankEntry& rank, int net_layer) {
  const auto found = std::find_if(rank.layers.begin(), rank.layers.end(), [net_layer](const NetLayer& layer) {
    return layer.net_layer == net_layer;
  });
  return found == rank.layers.end() ? nullptr : &*found;
}

// `path` is that of the rank, for the message.
const std::string& server_id_of(const RankEntry& rank, const std::string& path) {
  if (const NetLayer* layer = find_layer(rank, server_layer)) return layer->net_instance_id;
  throw Error(path + ".level_list: no net_layer 0, wanted one: it says which server the rank is on");
}

// The address used as device_ip; null if there is none, since EIDs cannot be used.
const RankAddress* ip_address(const RankEntry& rank) {
  const RankAddress* found = nullptr;
  int highest = -1;
  for (const NetLayer& layer : rank.layers) {
    if (layer.net_layer <= highest) continue;
    const auto address = std::find_if(
        layer.addresses.begin(), layer.addresses.end(),
        [](const RankAddress& each) { return each.addr_type == "IPV4" || each.addr_type == "IPV6"; });
    if (address == layer.addresses.end()) continue;
    found = &*address;
    highest = layer.net_layer;
  }
  return found;
}

// Whether layer 1 describes super pods.
bool has_super_pods(const RankListTable& table) {
  std::map<std::string, std::string> pod_of_server;
  for (const RankEntry& rank : table.ranks) {
    const NetLayer* server = find_layer(rank, server_layer);
    const NetLayer* pod = find_layer(rank, super_pod_layer);
    if (server == nullptr || pod == nullptr) return false;
    const auto [known, is_new] = pod_of_server.emplace(server->net_instance_id, pod->net_instance_id);
    if (!is_new && known->second != pod->net_instance_id) return false;
  }
  return !table.ranks.empty();
}

}  // namespace

bool is_rank_list(JsonValue root) {
  const std::optional<JsonValue> version = root.member("version");
  return version && version->is_text("2.0");
}

std::size_t device_count(const RankListTable& table) {
  return table.ranks.size();
}

std::size_t server_count(const RankListTable& table) {
  std::unordered_set<std::string_view> ids;
  for (const RankEntry& rank : table.ranks)
    for (const NetLayer& layer : rank.layers)
      if (layer.net_layer == server_layer) ids.insert(layer.net_instance_id);
  return ids.size();
}

void keep(RankListTable& table, const KeptDevices& kept) {
  std::erase_if(table.ranks, [&kept](const RankEntry& rank) {
    return !kept.has(find_layer(rank, server_layer)->net_instance_id, rank.device_id);
  });
  for (RankEntry& rank : table.ranks) rank.rank_id = kept.new_rank(rank.rank_id);
  table.wrong_rank_count.reset();
}

namespace {

void add_own(std::vector<SchemaField>& facts, const std::string& path, const std::string& json) {
  facts.push_back({FieldKind::own, path, json});
}

// The other fields of the address that is kept; it may be on several layers.
void add_details(std::vector<SchemaField>& facts, const std::string& path, const RankAddress& address) {
  if (address.ports != std::vector<std::string>{default_port} && !address.ports.empty())
    add_own(facts, path + ".ports",
            in_quotes(address.ports.front()) + (address.ports.size() > 1 ? ", ..." : ""));
  if (address.plane_id && *address.plane_id != default_plane)
    add_own(facts, path + ".plane_id", in_quotes(*address.plane_id));
  add_facts(facts, FieldKind::own, path, address.extras);
}

void add_addresses(std::vector<SchemaField>& facts, const std::string& path, const NetLayer& layer,
                   const RankAddress* kept) {
  for (std::size_t i = 0; i < layer.addresses.size(); ++i) {
    const RankAddress& address = layer.addresses[i];
    const std::string its_path = item_path(path + ".rank_addr_list", i);
    if (kept != nullptr && address.addr_type == kept->addr_type && address.addr == kept->addr)
      add_details(facts, its_path, address);
    else
      add_own(facts, its_path, address.addr_type + " " + in_quotes(address.addr));
  }
}

void add_instance(std::vector<SchemaField>& facts, const std::string& path, const NetLayer& layer,
                  bool pods_are_known) {
  if (layer.net_layer == server_layer) return;
  const std::string value = in_quotes(layer.net_instance_id);
  if (layer.net_layer == super_pod_layer && pods_are_known)
    facts.push_back({FieldKind::super_pod, path + ".net_instance_id", value});
  else if (layer.net_layer != cluster_layer || layer.net_instance_id != cluster_instance)
    add_own(facts, path + ".net_instance_id", value);
}

void add_layer(std::vector<SchemaField>& facts, const std::string& path, const NetLayer& layer,
               const RankAddress* kept) {
  const char* usual = layer.net_layer == server_layer ? server_net_type : upper_net_type;
  if (layer.net_type && *layer.net_type != usual)
    add_own(facts, path + ".net_type", in_quotes(*layer.net_type));
  if (layer.net_attr && !layer.net_attr->empty())
    add_own(facts, path + ".net_attr", in_quotes(*layer.net_attr));
  add_addresses(facts, path, layer, kept);
  add_facts(facts, FieldKind::own, path, layer.extras);
}

void add_rank(std::vector<SchemaField>& facts, const std::string& path, const RankEntry& rank,
              bool pods_are_known) {
  if (rank.local_id != rank.device_id) add_own(facts, path + ".local_id", std::to_string(rank.local_id));
  if (rank.device_port)
    facts.push_back({FieldKind::port, path + ".device_port", std::to_string(*rank.device_port)});
  if (rank.host_port)
    facts.push_back({FieldKind::port, path + ".host_port", std::to_string(*rank.host_port)});
  const RankAddress* kept = ip_address(rank);
  for (std::size_t i = 0; i < rank.layers.size(); ++i) {
    const std::string layer_path = item_path(path + ".level_list", i);
    add_instance(facts, layer_path, rank.layers[i], pods_are_known);
    add_layer(facts, layer_path, rank.layers[i], kept);
  }
  add_facts(facts, FieldKind::own, path, rank.extras);
}

}  // namespace

std::vector<SchemaField> facts_of(const RankListTable& table) {
  const bool pods_are_known = has_super_pods(table);
  std::vector<SchemaField> facts;
  for (std::size_t i = 0; i < table.ranks.size(); ++i)
    add_rank(facts, item_path("$.rank_list", i), table.ranks[i], pods_are_known);
  add_facts(facts, FieldKind::own, "$", table.extras);
  return facts;
}

namespace {

Device device_of(const RankEntry& rank) {
  Device device{rank.device_id, "", rank.rank_id};
  if (const RankAddress* address = ip_address(rank)) device.device_ip = address->addr;
  if (rank.device_port) device.extras.push_back(text_field("device_port", std::to_string(*rank.device_port)));
  if (rank.host_port) device.extras.push_back(text_field("host_port", std::to_string(*rank.host_port)));
  return device;
}

using PodOfServer = std::map<std::string, std::string>;

// local_id 64 is the spare card.
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

// The single address of the card; empty if it has none.
std::vector<RankAddress> addresses_of(const Server& server, const Device& device) {
  if (device.device_ip.empty()) return {};
  const std::optional<Address> address = parse_address(device.device_ip);
  if (!address)
    throw Error(where(server, device) + "device_ip " + in_quotes(device.device_ip) +
                ": not an IPv4 or IPv6 address, which is what a 2.0 table takes");
  const char* type = address->family == AddressFamily::ipv4 ? "IPV4" : "IPV6";
  return {{type, device.device_ip, {default_port}, default_plane}};
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
  const std::vector<RankAddress> own = addresses_of(server, device);
  const auto add_layer = [&](int number, const std::string& instance, const char* net_type) {
    rank.layers.push_back({number, instance, net_type, "", own, {}});
  };
  add_layer(server_layer, server.server_id, server_net_type);
  if (const auto pod = pods.find(server.server_id); pod != pods.end())
    add_layer(super_pod_layer, pod->second, upper_net_type);
  if (!own.empty()) add_layer(cluster_layer, cluster_instance, upper_net_type);
  return rank;
}

}  // namespace

Table as_v1(const RankListTable& table) {
  const bool pods_are_known = has_super_pods(table);
  TableBuilder builder;
  PodBuilder pods;
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    const RankEntry& rank = table.ranks[i];
    const std::string& server_id = server_id_of(rank, item_path("$.rank_list", i));
    if (builder.add(server_id, device_of(rank)) && pods_are_known)
      pods.of(find_layer(rank, super_pod_layer)->net_instance_id).servers.push_back({server_id});
  }
  Table result = builder.take();
  if (table.status) result.status = *table.status;
  result.super_pods = pods.take();
  if (pods_are_known) result.version = "1.2";
  return result;
}

void require_ip_addresses(const RankListTable& table) {
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    const RankEntry& rank = table.ranks[i];
    const bool has_addresses = std::any_of(rank.layers.begin(), rank.layers.end(),
                                           [](const NetLayer& layer) { return !layer.addresses.empty(); });
    if (has_addresses && ip_address(rank) == nullptr)
      throw Error(item_path("$.rank_list", i) +
                  ".level_list: EID addresses alone, wanted an IPV4 or IPV6 one to stand as device_ip");
  }
}

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
  additions.push_back(std::string("$.rank_list[*].level_list[*].net_type: \"") + server_net_type +
                      "\" on layer 0, \"" + upper_net_type + "\" above");
  if (is_plain(ranks)) return list;
  additions.emplace_back("$.rank_list[*].level_list[*].rank_addr_list: the device_ip, on every layer");
  additions.push_back(std::string("$.rank_list[*].level_list[*].rank_addr_list[0].ports: [\"") +
                      default_port + "\"]: put the ports of your cards there");
  return list;
}

}  // namespace adarun::ranktable
