// SPDX-License-Identifier: Apache-2.0
#include "ranktable/subset.h"

#include <algorithm>
#include <map>
#include <set>

#include "ranktable/convert.h"
#include "ranktable/convert/layers.h"
#include "ranktable/error.h"
#include "ranktable/rows.h"
#include "ranktable/server_name.h"

namespace adarun::ranktable {
namespace {

// Which devices stay, and the rank that each of them gets.
class Kept {
 public:
  Kept(const Table& ranks, const Selection& selection)
      : servers_(selection.server_ids.begin(), selection.server_ids.end()),
        devices_(selection.device_ids.begin(), selection.device_ids.end()) {
    int next_rank = 0;
    for (const Row& row : rows(ranks))
      if (has(row.server_id, row.device_id)) new_ranks_.emplace(row.rank, next_rank++);
  }

  bool has(const std::string& server_id) const { return servers_.empty() || servers_.count(server_id) != 0; }
  bool has(const std::string& server_id, int device_id) const {
    return has(server_id) && (devices_.empty() || devices_.count(device_id) != 0);
  }
  int new_rank(int rank) const { return new_ranks_.at(rank); }

 private:
  std::set<std::string> servers_;
  std::set<int> devices_;
  std::map<int, int> new_ranks_;
};

template <typename Item>
void require_distinct(std::vector<Item> items, const std::string& what, std::string (*text)(const Item&)) {
  std::sort(items.begin(), items.end());
  const auto twice = std::adjacent_find(items.begin(), items.end());
  if (twice != items.end()) throw Error(what + " " + text(*twice) + ": selected twice");
}

bool has_device(const Server& server, int device_id) {
  return std::any_of(server.devices.begin(), server.devices.end(),
                     [device_id](const Device& device) { return device.device_id == device_id; });
}

void require_known(const Table& ranks, const Selection& selection) {
  require_distinct<std::string>(selection.server_ids, "server", [](const std::string& id) { return id; });
  require_distinct<int>(selection.device_ids, "device", [](const int& id) { return std::to_string(id); });
  const std::set<std::string> wanted(selection.server_ids.begin(), selection.server_ids.end());
  std::set<std::string> known;
  for (const Server& server : ranks.servers) {
    known.insert(server.server_id);
    if (!wanted.empty() && wanted.count(server.server_id) == 0) continue;
    for (const int device_id : selection.device_ids)
      if (!has_device(server, device_id))
        throw Error("server " + printable(server.server_id) + ": has no device " + std::to_string(device_id));
  }
  for (const std::string& server_id : selection.server_ids)
    if (known.count(server_id) == 0) throw Error("server " + server_id + ": is not in the table");
}

template <typename Items, typename Keep>
void keep_if(Items& items, Keep keep) {
  items.erase(std::remove_if(items.begin(), items.end(), [&keep](const auto& item) { return !keep(item); }),
              items.end());
}

void reduce(Table& table, const Kept& kept) {
  keep_if(table.servers, [&kept](const Server& server) { return kept.has(server.server_id); });
  for (Server& server : table.servers) {
    keep_if(server.devices,
            [&](const Device& device) { return kept.has(server.server_id, device.device_id); });
    for (Device& device : server.devices) device.rank_id = kept.new_rank(device.rank_id);
  }
  for (SuperPod& pod : table.super_pods)
    keep_if(pod.servers, [&kept](const SuperPodMember& member) { return kept.has(member.server_id); });
  keep_if(table.super_pods, [](const SuperPod& pod) { return !pod.servers.empty(); });
  table.wrong_server_count.reset();
}

void reduce(CloudTable& table, const Kept& kept) {
  for (CloudGroup& group : table.groups) {
    for (CloudInstance& pod : group.instances)
      keep_if(pod.devices,
              [&](const CloudDevice& device) { return kept.has(pod.server_id, device.device_id); });
    keep_if(group.instances, [](const CloudInstance& pod) { return !pod.devices.empty(); });
    group.wrong_instance_count.reset();
    group.wrong_device_count.reset();
  }
  keep_if(table.groups, [](const CloudGroup& group) { return !group.instances.empty(); });
  table.wrong_group_count.reset();
}

void reduce(LabTable& table, const Kept& kept) {
  for (LabGroup& group : table.groups) {
    keep_if(group.instances, [&kept](const LabInstance& instance) {
      return kept.has(instance.server_id, instance.device_id);
    });
    for (LabInstance& instance : group.instances) instance.rank_id = kept.new_rank(instance.rank_id);
    group.wrong_device_num.reset();
    group.wrong_server_num.reset();
    group.wrong_instance_count.reset();
  }
  keep_if(table.groups, [](const LabGroup& group) { return !group.instances.empty(); });
  table.wrong_group_count.reset();
}

void reduce(RankListTable& table, const Kept& kept) {
  keep_if(table.ranks, [&kept](const RankEntry& rank) {
    return kept.has(find_layer(rank, server_layer)->net_instance_id, rank.device_id);
  });
  for (RankEntry& rank : table.ranks) rank.rank_id = kept.new_rank(rank.rank_id);
  table.wrong_rank_count.reset();
}

}  // namespace

AnyTable subset(const AnyTable& table, const Selection& selection) {
  const Table ranks = ranks_of(table);
  require_known(ranks, selection);
  const Kept kept(ranks, selection);
  AnyTable result = table;
  std::visit([&kept](auto& each) { reduce(each, kept); }, result);
  return result;
}

}  // namespace adarun::ranktable
