// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "ranktable/convert/conversions.h"
#include "ranktable/convert/layers.h"
#include "ranktable/convert/port.h"
#include "ranktable/convert/table_builder.h"

namespace adarun::ranktable {
namespace {

Device device_of(const RankEntry& rank) {
  Device device{rank.device_id, "", rank.rank_id};
  if (const RankAddress* address = ip_address(rank)) device.device_ip = address->addr;
  if (rank.device_port) device.extras.push_back(port_field("device_port", *rank.device_port));
  if (rank.host_port) device.extras.push_back(port_field("host_port", *rank.host_port));
  return device;
}

// Puts each server, as it comes for the first time, into its pod.
class Pods {
 public:
  void add(const std::string& pod_id, const std::string& server_id) {
    const auto [place, is_new] = places_.emplace(pod_id, pods_.size());
    if (is_new) pods_.push_back({pod_id, {}});
    pods_[place->second].servers.push_back({server_id});
  }
  std::vector<SuperPod> take() { return std::move(pods_); }

 private:
  std::vector<SuperPod> pods_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

Table from_rank_list(const RankListTable& table) {
  const bool pods_are_known = has_super_pods(table);
  TableBuilder builder;
  Pods pods;
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    const RankEntry& rank = table.ranks[i];
    const std::string& server_id = server_id_of(rank, "$.rank_list[" + std::to_string(i) + "]");
    if (builder.add(server_id, device_of(rank)) && pods_are_known)
      pods.add(find_layer(rank, super_pod_layer)->net_instance_id, server_id);
  }
  Table result = builder.take();
  if (table.status) result.status = *table.status;
  result.super_pods = pods.take();
  if (pods_are_known) result.version = "1.2";
  return result;
}

}  // namespace adarun::ranktable
