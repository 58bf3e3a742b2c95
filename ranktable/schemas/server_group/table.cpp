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
  std::unordered_set<std::string_view> servers;
  for (const GroupServer& server : group.servers) servers.insert(server.server_id);
  for (SuperPod& pod : group.super_pods)
    keep_if(pod.servers,
            [&servers](const SuperPodMember& member) { return servers.count(member.server_id) != 0; });
  keep_if(group.super_pods, [](const SuperPod& pod) { return !pod.servers.empty(); });
}

// The first of them, where there are many.
std::string list_of_ids(const std::vector<ServerGroup>& groups) {
  constexpr std::size_t most = 8;
  std::string ids;
  for (std::size_t i = 0; i < groups.size() && i < most; ++i)
    ids += (i == 0 ? "" : ", ") + printable(groups[i].group_id);
  return groups.size() > most ? ids + ", ... (" + std::to_string(groups.size()) + " groups)" : ids;
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

std::size_t group_index(const ServerGroupTable& table, const std::string& group_id) {
  const auto has_id = [&group_id](const ServerGroup& group) { return group.group_id == group_id; };
  const auto group = std::find_if(table.groups.begin(), table.groups.end(), has_id);
  if (group == table.groups.end())
    throw Error("has no group " + printable(group_id) + ", wanted one of " + list_of_ids(table.groups));
  if (std::find_if(group + 1, table.groups.end(), has_id) != table.groups.end())
    throw Error("group " + printable(group_id) + ": comes twice");
  if (device_count(*group) == 0) throw Error("group " + printable(group_id) + ": has no devices");
  return static_cast<std::size_t>(group - table.groups.begin());
}

ServerGroupTable only_group(const ServerGroupTable& table, const std::string& group_id) {
  ServerGroupTable only = table;
  only.groups = {table.groups[group_index(table, group_id)]};
  return only;
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

std::vector<std::string> emptied_groups(const ServerGroupTable& before, const ServerGroupTable& after) {
  std::unordered_set<std::string_view> left;
  for (const ServerGroup& group : after.groups)
    if (device_count(group) > 0) left.insert(group.group_id);
  std::vector<std::string> ids;
  for (const ServerGroup& group : before.groups)
    if (device_count(group) > 0 && left.count(group.group_id) == 0) ids.push_back(group.group_id);
  return ids;
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
