// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/rank_list/layers.h"

#include <algorithm>
#include <map>
#include <string>

#include "ranktable/model/error.h"

namespace adarun::ranktable {

const NetLayer* find_layer(const RankEntry& rank, int net_layer) {
  const auto found = std::find_if(rank.layers.begin(), rank.layers.end(), [net_layer](const NetLayer& layer) {
    return layer.net_layer == net_layer;
  });
  return found == rank.layers.end() ? nullptr : &*found;
}

const std::string& server_id_of(const RankEntry& rank, const std::string& path) {
  if (const NetLayer* layer = find_layer(rank, server_layer)) return layer->net_instance_id;
  throw Error(path + ".level_list: no net_layer 0, wanted one: it says which server the rank is on");
}

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

}  // namespace adarun::ranktable
