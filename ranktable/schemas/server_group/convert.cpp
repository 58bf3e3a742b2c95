// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/model/finding.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

// Calls act(group, server, first, first of group) for all servers, with where the numbers of their ranks, and
// of those of their group, begin in the table. Throws Error if a group has no numbering.
template <typename Act>
void for_each_server(const ServerGroupTable& table, Act act) {
  int first_of_group = 0;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const ServerGroup& group = table.groups[i];
    const std::optional<RankOrder> order = rank_order(group);
    if (!order)
      throw Error(
          item_path("$.server_group_list", i) +
          ": its ranks count from 0 neither through the group nor in each server, wanted one of both");
    int first = first_of_group;
    for (const GroupServer& server : group.servers) {
      act(group, server, first, first_of_group);
      if (*order == RankOrder::server) first += static_cast<int>(server.devices.size());
    }
    first_of_group += static_cast<int>(device_count(group));
  }
}

Device device_of_v1(const GroupServer& server, std::size_t place, int first) {
  const GroupDevice& source = server.devices[place];
  Device device{source.device_id, source.device_ip, first + source.rank_id, source.super_device_id,
                source.extras};
  if (source.logical_id && *source.logical_id != static_cast<int>(place))
    device.extras.push_back(text_field("device_logical_id", std::to_string(*source.logical_id)));
  return device;
}

// Leaves out a host_nic_ip: version 1.0 reads it, and convert gives each server one.
std::vector<Extra> fields_of_v1(const GroupServer& server) {
  std::vector<Extra> fields;
  if (server.server_ip != server.server_id) fields.push_back(text_field("server_ip", server.server_ip));
  if (!server.container_ip.empty() && server.container_ip != server.server_ip)
    fields.push_back(text_field("container_ip", server.container_ip));
  for (const Extra& extra : server.extras)
    if (extra.name != "host_nic_ip") fields.push_back(extra);
  return fields;
}

// The pods of all groups; those of one id are one.
std::vector<SuperPod> joined_pods(const ServerGroupTable& table) {
  PodBuilder pods;
  std::set<std::pair<std::string, std::string>> members;
  for (const ServerGroup& group : table.groups)
    for (const SuperPod& pod : group.super_pods) {
      SuperPod& joined = pods.of(pod.super_pod_id, pod.extras);
      for (const SuperPodMember& member : pod.servers)
        if (members.emplace(pod.super_pod_id, member.server_id).second) joined.servers.push_back(member);
    }
  return pods.take();
}

bool has_super_device(const Device& device) {
  return !device.super_device_id.empty();
}

}  // namespace

Table as_v1(const ServerGroupTable& table) {
  TableBuilder builder;
  std::vector<std::vector<Extra>> fields;  // By server.
  for_each_server(table, [&](const ServerGroup&, const GroupServer& server, int first, int) {
    for (std::size_t i = 0; i < server.devices.size(); ++i)
      if (builder.add(server.server_id, device_of_v1(server, i, first)))
        fields.push_back(fields_of_v1(server));
  });
  Table result = builder.take();
  for (std::size_t i = 0; i < fields.size(); ++i) result.servers[i].extras = std::move(fields[i]);
  if (!table.status.empty()) result.status = table.status;
  result.super_pods = joined_pods(table);
  if (table.version == "1.2" || !result.super_pods.empty() || any_device(result, has_super_device))
    result.version = "1.2";
  return result;
}

void add_numberings(const ServerGroupTable& table, Additions& additions) {
  std::string first;
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    if (rank_order(table.groups[i]) != RankOrder::server) continue;
    if (count++ == 0) first = item_path("$.server_group_list", i);
  }
  if (count > 0)
    additions.push_back(first + ": its ranks count through the group now: they began anew in each server" +
                        (count > 1 ? " (and " + std::to_string(count - 1) + " more)" : ""));
}

// An emptied group has no facts.
ServerGroupTable without_other_groups(const ServerGroupTable& table, std::size_t group) {
  ServerGroupTable result;
  result.version = table.version;
  result.status = table.status;
  result.extras = table.extras;
  result.groups.resize(table.groups.size());
  result.groups[group] = table.groups[group];
  for (ServerGroup& each : result.groups) each.group_id = sole_group_id;
  return result;
}

std::vector<ServerGroup> groups_without_devices(const ServerGroupTable& table,
                                                const std::vector<GroupSelection>& selections) {
  std::vector<ServerGroup> groups;
  for (const ServerGroup& group : table.groups)
    if (device_count(group) == 0 && !group.servers.empty() && !is_selected(selections, group.group_id))
      groups.push_back(group);
  return groups;
}

ServerGroupTable without_kept(const ServerGroupTable& table, const std::vector<ServerGroup>& kept) {
  ServerGroupTable result = table;
  for (ServerGroup& group : result.groups) {
    const bool has_devices = device_count(group) > 0;
    if (!has_devices && std::find(kept.begin(), kept.end(), group) != kept.end())
      group = {sole_group_id, "", {}};
    else if (has_devices)
      group.group_id = sole_group_id;
  }
  return result;
}

std::vector<GroupRank> group_ranks_of(const ServerGroupTable& table) {
  std::vector<GroupRank> places(device_count(table));
  for_each_server(table,
                  [&](const ServerGroup& group, const GroupServer& server, int first, int first_of_group) {
                    for (const GroupDevice& device : server.devices) {
                      const int rank = first + device.rank_id;
                      places[static_cast<std::size_t>(rank)] = {group.group_id, rank - first_of_group};
                    }
                  });
  return places;
}

}  // namespace adarun::ranktable
