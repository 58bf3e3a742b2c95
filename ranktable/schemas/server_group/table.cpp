// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/server_group/table.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ranktable/json/path.h"
#include "ranktable/model/error.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/base/count_lines.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

void add_ranks(std::vector<int>& ranks, const GroupServer& server) {
  for (const GroupDevice& device : server.devices) ranks.push_back(device.rank_id);
}

// Whether they are 0, 1, 2, ... in any order.
bool count_from_0(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] < 0 || static_cast<std::size_t>(ranks[i]) != i) return false;
  return true;
}

// Numbers the devices 0, 1, 2, ... in the order of their old ranks.
void renumber(std::vector<GroupDevice*> devices) {
  std::stable_sort(devices.begin(), devices.end(), [](const GroupDevice* left, const GroupDevice* right) {
    return left->rank_id < right->rank_id;
  });
  int rank = 0;
  for (GroupDevice* device : devices) device->rank_id = rank++;
}

void renumber(ServerGroup& group, RankOrder order) {
  std::vector<GroupDevice*> devices;
  for (GroupServer& server : group.servers) {
    if (order == RankOrder::server) devices.clear();
    for (GroupDevice& device : server.devices) devices.push_back(&device);
    if (order == RankOrder::server) renumber(devices);
  }
  if (order == RankOrder::group) renumber(devices);
}

// Logical ids that count the devices do so afterwards; others are what a container says.
void keep(GroupServer& server, const KeptDevices& kept) {
  bool count = true;
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    count = count && server.devices[i].logical_id == static_cast<int>(i);
  keep_if(server.devices,
          [&](const GroupDevice& device) { return kept.has(server.server_id, device.device_id); });
  for (std::size_t i = 0; count && i < server.devices.size(); ++i)
    server.devices[i].logical_id = static_cast<int>(i);
}

void keep(ServerGroup& group, const KeptDevices& kept) {
  const RankOrder order = rank_order(group).value_or(RankOrder::group);
  for (GroupServer& server : group.servers) keep(server, kept);
  keep_if(group.servers, [](const GroupServer& server) { return !server.devices.empty(); });
  renumber(group, order);
  for (SuperPod& pod : group.super_pods)
    keep_if(pod.servers, [&](const SuperPodMember& member) {
      return std::any_of(group.servers.begin(), group.servers.end(), [&member](const GroupServer& server) {
        return server.server_id == member.server_id;
      });
    });
  keep_if(group.super_pods, [](const SuperPod& pod) { return !pod.servers.empty(); });
}

}  // namespace

std::optional<RankOrder> rank_order(const ServerGroup& group) {
  std::vector<int> all;
  bool by_server = true;
  for (const GroupServer& server : group.servers) {
    std::vector<int> own;
    add_ranks(own, server);
    add_ranks(all, server);
    by_server = by_server && count_from_0(std::move(own));
  }
  if (count_from_0(std::move(all))) return RankOrder::group;
  return by_server ? std::optional(RankOrder::server) : std::nullopt;
}

ServerGroupTable only_group(const ServerGroupTable& table, const std::string& group_id) {
  ServerGroupTable only = table;
  keep_if(only.groups, [&group_id](const ServerGroup& group) { return group.group_id == group_id; });
  if (!only.groups.empty()) return only;
  std::string ids;
  for (const ServerGroup& group : table.groups) ids += (ids.empty() ? "" : ", ") + printable(group.group_id);
  throw Error("has no group " + printable(group_id) + ", wanted one of " + ids);
}

std::size_t device_count(const ServerGroup& group) {
  std::size_t count = 0;
  for (const GroupServer& server : group.servers) count += server.devices.size();
  return count;
}

std::size_t device_count(const ServerGroupTable& table) {
  std::size_t count = 0;
  for (const ServerGroup& group : table.groups) count += device_count(group);
  return count;
}

std::size_t server_count(const ServerGroupTable& table) {
  std::unordered_set<std::string_view> servers;
  for (const ServerGroup& group : table.groups)
    for (const GroupServer& server : group.servers)
      if (!server.devices.empty()) servers.insert(server.server_id);
  return servers.size();
}

std::vector<std::string> corrected_counts(const ServerGroupTable& table) {
  CountLines lines;
  for (std::size_t i = 0; i < table.groups.size(); ++i)
    lines.add(item_path("$.server_group_list", i) + ".server_count", table.groups[i].wrong_server_count,
              table.groups[i].servers.size());
  return lines.take();
}

void keep(ServerGroupTable& table, const KeptDevices& kept) {
  std::vector<ServerGroup> groups;
  for (ServerGroup& group : table.groups) {
    const bool had_devices = device_count(group) > 0;
    if (had_devices) keep(group, kept);
    group.wrong_server_count.reset();
    if (!had_devices || device_count(group) > 0) groups.push_back(std::move(group));
  }
  table.groups = std::move(groups);
}

}  // namespace adarun::ranktable
