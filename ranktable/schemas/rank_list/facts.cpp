// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/schemas/rank_list/layers.h"
#include "ranktable/schemas/rank_list/schema.h"

namespace adarun::ranktable {
namespace {

void add_own(std::vector<Fact>& facts, const std::string& path, const std::string& json) {
  facts.push_back({Topic::own, path, json});
}

// The other fields of the address that is kept; it may be on several layers.
void add_details(std::vector<Fact>& facts, const std::string& path, const RankAddress& address) {
  if (address.ports != std::vector<std::string>{default_port} && !address.ports.empty())
    add_own(facts, path + ".ports",
            in_quotes(address.ports.front()) + (address.ports.size() > 1 ? ", ..." : ""));
  if (address.plane_id && *address.plane_id != default_plane)
    add_own(facts, path + ".plane_id", in_quotes(*address.plane_id));
  add_facts(facts, Topic::own, path, address.extras);
}

void add_addresses(std::vector<Fact>& facts, const std::string& path, const NetLayer& layer,
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

void add_instance(std::vector<Fact>& facts, const std::string& path, const NetLayer& layer,
                  bool pods_are_known) {
  if (layer.net_layer == server_layer) return;
  const std::string value = in_quotes(layer.net_instance_id);
  if (layer.net_layer == super_pod_layer && pods_are_known)
    facts.push_back({Topic::super_pod, path + ".net_instance_id", value});
  else if (layer.net_layer != cluster_layer || layer.net_instance_id != cluster_instance)
    add_own(facts, path + ".net_instance_id", value);
}

void add_layer(std::vector<Fact>& facts, const std::string& path, const NetLayer& layer,
               const RankAddress* kept) {
  const char* usual = layer.net_layer == server_layer ? server_net_type : upper_net_type;
  if (layer.net_type && *layer.net_type != usual)
    add_own(facts, path + ".net_type", in_quotes(*layer.net_type));
  if (layer.net_attr && !layer.net_attr->empty())
    add_own(facts, path + ".net_attr", in_quotes(*layer.net_attr));
  add_addresses(facts, path, layer, kept);
  add_facts(facts, Topic::own, path, layer.extras);
}

void add_rank(std::vector<Fact>& facts, const std::string& path, const RankEntry& rank, bool pods_are_known) {
  if (rank.local_id != rank.device_id) add_own(facts, path + ".local_id", std::to_string(rank.local_id));
  if (rank.device_port)
    facts.push_back({Topic::port, path + ".device_port", std::to_string(*rank.device_port)});
  if (rank.host_port) facts.push_back({Topic::port, path + ".host_port", std::to_string(*rank.host_port)});
  const RankAddress* kept = ip_address(rank);
  for (std::size_t i = 0; i < rank.layers.size(); ++i) {
    const std::string layer_path = item_path(path + ".level_list", i);
    add_instance(facts, layer_path, rank.layers[i], pods_are_known);
    add_layer(facts, layer_path, rank.layers[i], kept);
  }
  add_facts(facts, Topic::own, path, rank.extras);
}

}  // namespace

std::vector<Fact> facts_of(const RankListTable& table) {
  const bool pods_are_known = has_super_pods(table);
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < table.ranks.size(); ++i)
    add_rank(facts, item_path("$.rank_list", i), table.ranks[i], pods_are_known);
  add_facts(facts, Topic::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
