// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/server_group/schema.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/base/super_pods.h"

namespace adarun::ranktable {

bool is_server_group(JsonValue root) {
  return root.member("server_group_list").has_value();
}

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
  std::erase_if(server.devices,
                [&](const GroupDevice& device) { return !kept.has(server.server_id, device.device_id); });
  for (std::size_t i = 0; count && i < server.devices.size(); ++i)
    server.devices[i].logical_id = static_cast<int>(i);
}

void keep(ServerGroup& group, const KeptDevices& kept) {
  const RankOrder order = rank_order(group).value_or(RankOrder::group);
  for (GroupServer& server : group.servers) keep(server, kept);
  std::erase_if(group.servers, [](const GroupServer& server) { return server.devices.empty(); });
  renumber(group, order);
  std::unordered_set<std::string_view> servers;
  for (const GroupServer& server : group.servers) servers.insert(server.server_id);
  for (SuperPod& pod : group.super_pods)
    std::erase_if(pod.servers,
                  [&servers](const SuperPodMember& member) { return servers.count(member.server_id) == 0; });
  std::erase_if(group.super_pods, [](const SuperPod& pod) { return pod.servers.empty(); });
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

namespace {

void add_device(std::vector<SchemaField>& facts, const std::string& path, const GroupDevice& device,
                int place) {
  if (device.logical_id && *device.logical_id != place)
    facts.push_back(
        {FieldKind::v1_field, path + ".device_logical_id", in_quotes(std::to_string(*device.logical_id))});
  add_device_facts(facts, path, device.super_device_id, device.extras);
}

// That of a server as `convert` makes it, where it has none.
const std::string& container_ip_of(const GroupServer& server) {
  return server.container_ip.empty() ? server.server_ip : server.container_ip;
}

// Servers by their ids; the other schemas have one entry for each.
using FirstEntries = std::unordered_map<std::string_view, const GroupServer*>;

// What a second entry of a server has otherwise than the first is this schema's own.
void add_server_fields(std::vector<SchemaField>& facts, const std::string& path, const GroupServer& server,
                       FirstEntries& entries) {
  const auto [first, is_added] = entries.emplace(server.server_id, &server);
  const bool is_new = is_added;
  const auto add_address = [&](const char* name, const std::string& text, const std::string& usual) {
    if (!text.empty() && text != usual)
      facts.push_back({is_new ? FieldKind::v1_field : FieldKind::own, path + "." + name, in_quotes(text)});
  };
  const GroupServer& other = *first->second;
  add_address("server_ip", server.server_ip, is_new ? server.server_id : other.server_ip);
  add_address("container_ip", server.container_ip, is_new ? server.server_ip : container_ip_of(other));
  if (is_new || server.extras != other.extras)
    for (const Extra& field : server.extras)
      facts.push_back({is_new && field.name != "host_nic_ip" ? FieldKind::v1_field : FieldKind::own,
                       path + member_step(field.name), field.json});
}

void add_server(std::vector<SchemaField>& facts, const std::string& path, const GroupServer& server,
                FirstEntries& entries) {
  if (server.devices.empty()) {
    add_unless(facts, path + ".server_id", server.server_id, "");
    add_unless(facts, path + ".server_ip", server.server_ip, "");
    add_unless(facts, path + ".container_ip", server.container_ip, "");
    return add_facts(facts, FieldKind::own, path, server.extras);
  }
  add_server_fields(facts, path, server, entries);
  for (std::size_t i = 0; i < server.devices.size(); ++i)
    add_device(facts, item_path(path + ".device", i), server.devices[i], static_cast<int>(i));
}

// Whether `router` has nothing but what `convert` gives it on this server.
bool is_as_made(const GroupServer& router, const GroupServer& server) {
  return router.extras.empty() && router.server_ip == server.server_ip &&
         (router.server_id.empty() || router.server_id == server.server_id) &&
         (router.container_ip.empty() || router.container_ip == container_ip_of(server));
}

// Whether it is the router as `convert` makes it: on the first server with devices.
bool is_usual_router(const ServerGroupTable& table, const ServerGroup& group) {
  if (&group != &table.groups.front() || group.group_id != "0" || group.servers.size() != 1) return false;
  for (const ServerGroup& other : table.groups)
    for (const GroupServer& server : other.servers)
      if (!server.devices.empty()) return is_as_made(group.servers[0], server);
  return false;
}

using Extras = std::vector<Extra>;

// Pods of one id become one, which has the fields of the first, as its members have.
class JoinedPods {
 public:
  void add(std::vector<SchemaField>& facts, const std::string& path, const std::vector<SuperPod>& pods) {
    add_super_pod_facts(facts, path, pods);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const std::string at = item_path(path + ".super_pod_list", i);
      for (std::size_t j = 0; j < pods[i].servers.size(); ++j) {
        const SuperPodMember& member = pods[i].servers[j];
        const auto first =
            members_.emplace(std::pair(pods[i].super_pod_id, member.server_id), &member.extras);
        add_others(facts, item_path(at + ".server_list", j), *first.first->second, member.extras);
      }
      add_others(facts, at, *pods_.emplace(pods[i].super_pod_id, &pods[i].extras).first->second,
                 pods[i].extras);
    }
  }

 private:
  static void add_others(std::vector<SchemaField>& facts, const std::string& path, const Extras& first,
                         const Extras& fields) {
    if (&first != &fields && first != fields) add_facts(facts, FieldKind::own, path, fields);
  }

  std::map<std::string, const Extras*> pods_;
  std::map<std::pair<std::string, std::string>, const Extras*> members_;
};

}  // namespace

std::vector<SchemaField> facts_of(const ServerGroupTable& table) {
  std::vector<SchemaField> facts;
  FirstEntries entries;
  JoinedPods pods;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const ServerGroup& group = table.groups[i];
    const std::string path = item_path("$.server_group_list", i);
    if (device_count(group) > 0 || !is_usual_router(table, group)) {
      add_unless(facts, path + ".group_id", group.group_id, sole_group_id);
      for (std::size_t j = 0; j < group.servers.size(); ++j)
        add_server(facts, item_path(path + ".server_list", j), group.servers[j], entries);
    }
    add_unless(facts, path + ".deploy_server", group.deploy_server, "");
    pods.add(facts, path, group.super_pods);
    add_facts(facts, FieldKind::own, path, group.extras);
  }
  add_facts(facts, FieldKind::own, "$", table.extras);
  return facts;
}

}  // namespace adarun::ranktable
