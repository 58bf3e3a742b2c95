// SPDX-License-Identifier: Apache-2.0
// Makes groups of the ranks of a table.
#include <algorithm>
#include <map>
#include <set>

#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

constexpr const char* router_group = "0";

bool has_field(const std::vector<Extra>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [name](const Extra& field) { return field.name == name; });
}

// New ranks by old ones.
using NewRanks = std::map<int, int>;

// Addresses that the table names otherwise are among the extras.
GroupServer without_devices(const Server& server) {
  GroupServer result;
  result.server_id = server.server_id;
  if (!has_field(server.extras, "server_ip")) result.server_ip = server.server_id;
  if (!has_field(server.extras, "container_ip")) result.container_ip = result.server_ip;
  result.extras = server.extras;
  if (!server.host_nic_ip.empty() && server.host_nic_ip != reserved_host_nic_ip) {
    Extra& field = result.extras.emplace_back(Extra{"host_nic_ip", {}});
    append_quoted(field.json, server.host_nic_ip, Malformed::refused);
  }
  return result;
}

void add_devices(GroupServer& result, const Server& server, const NewRanks& new_ranks) {
  for (const Device& device : server.devices) {
    const auto rank = new_ranks.find(device.rank_id);
    if (rank == new_ranks.end()) continue;
    GroupDevice& added = result.devices.emplace_back();
    added = {device.device_id, device.device_ip, rank->second, {}, device.super_device_id, device.extras};
    if (!has_field(device.extras, "device_logical_id"))
      added.logical_id = static_cast<int>(result.devices.size()) - 1;
  }
}

std::vector<SuperPod> pods_of(const std::vector<SuperPod>& pods, const ServerGroup& group) {
  std::vector<SuperPod> kept = pods;
  for (SuperPod& pod : kept)
    keep_if(pod.servers, [&group](const SuperPodMember& member) {
      return std::any_of(group.servers.begin(), group.servers.end(), [&member](const GroupServer& server) {
        return server.server_id == member.server_id;
      });
    });
  keep_if(kept, [](const SuperPod& pod) { return !pod.servers.empty(); });
  return kept;
}

ServerGroup group_of(const Table& ranks, const std::string& group_id, const NewRanks& new_ranks) {
  ServerGroup group;
  group.group_id = group_id;
  for (const Server& server : ranks.servers) {
    GroupServer entry = without_devices(server);
    add_devices(entry, server, new_ranks);
    if (!entry.devices.empty()) group.servers.push_back(std::move(entry));
  }
  group.super_pods = pods_of(ranks.super_pods, group);
  return group;
}

ServerGroup router_at(const Table& ranks, const std::string& router) {
  ServerGroup group;
  group.group_id = router_group;
  const auto server = std::find_if(ranks.servers.begin(), ranks.servers.end(), [&router](const Server& each) {
    return router.empty() || each.server_id == router;
  });
  if (server != ranks.servers.end()) {
    GroupServer& entry = group.servers.emplace_back(without_devices(*server));
    keep_if(entry.extras,
            [](const Extra& field) { return field.name == "server_ip" || field.name == "container_ip"; });
  } else if (!router.empty()) {
    group.servers.push_back({router, router, router});
  }
  return group;
}

// Fields of this schema among the extras of 1.x are read as such, and must be valid.
ServerGroupTable read_again(const ServerGroupTable& table) {
  JsonWriter out(JsonWriter::Format::compact);
  write_table(out, table);
  const std::string text = out.take();
  Findings findings;
  ServerGroupTable read = parse_server_group(Document(text).root(), findings);
  require_valid(findings, "as a server_group table");
  return read;
}

void sort_by_id(std::vector<GroupSelection>& selections) {
  const auto number = [](const GroupSelection& selection) {
    return parse_decimal(selection.group_id).value_or(-1);
  };
  std::stable_sort(selections.begin(), selections.end(),
                   [number](const GroupSelection& left, const GroupSelection& right) {
                     return number(left) < number(right);
                   });
  const auto twice = std::adjacent_find(selections.begin(), selections.end(),
                                        [](const GroupSelection& left, const GroupSelection& right) {
                                          return left.group_id == right.group_id;
                                        });
  if (twice != selections.end()) throw Error("group " + twice->group_id + ": comes twice");
}

}  // namespace

void require_each_rank_once(const Table& ranks, const std::vector<GroupSelection>& selections) {
  std::set<int> left;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices) left.insert(device.rank_id);
  const std::set<int> all = left;
  for (const GroupSelection& selection : selections)
    for (const std::uint32_t number : selection.ranks) {
      const int rank = static_cast<int>(number);
      if (all.count(rank) == 0) throw Error("rank " + std::to_string(number) + ": is not in the table");
      if (left.erase(rank) == 0) throw Error("rank " + std::to_string(number) + ": is in two groups");
    }
  if (!left.empty()) throw Error("rank " + std::to_string(*left.begin()) + ": is in no group");
}

ServerGroupTable group_ranks(const Table& ranks, std::vector<GroupSelection> selections,
                             const std::string& router) {
  require_server_ids(ranks);
  require_each_rank_once(ranks, selections);
  sort_by_id(selections);
  ServerGroupTable table;
  table.version = ranks.version;
  table.status = ranks.status;
  table.extras = ranks.extras;
  if (selections.empty() || selections.front().group_id != router_group)
    table.groups.push_back(router_at(ranks, router));
  for (const GroupSelection& selection : selections) {
    NewRanks new_ranks;
    int next = 0;
    for (const std::uint32_t rank : selection.ranks) new_ranks.emplace(static_cast<int>(rank), next++);
    table.groups.push_back(group_of(ranks, selection.group_id, new_ranks));
  }
  return read_again(table);
}

void add_addresses_of_groups(Additions& additions) {
  additions.emplace_back(
      "$.server_group_list[*].server_list[*].server_ip, container_ip: the server_id, where the table names "
      "no "
      "other");
}

ServerGroupTable to_server_group(const Table& ranks, Additions& additions) {
  GroupSelection all{sole_group_id, {}};
  std::set<int> sorted;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices) sorted.insert(device.rank_id);
  all.ranks.assign(sorted.begin(), sorted.end());
  if (!sorted.empty() && *sorted.rbegin() != static_cast<int>(sorted.size()) - 1)
    throw Error("rank " + std::to_string(*sorted.rbegin()) + ": of " + std::to_string(sorted.size()) +
                " devices, wanted ranks from 0 without a gap, which is what a server_group table takes");
  additions.emplace_back("$.server_group_list[0]: the router: the first server");
  add_addresses_of_groups(additions);
  additions.emplace_back("$.server_group_list[1].group_id: \"2\", with all ranks: --role divides them");
  return group_ranks(ranks, {std::move(all)}, "");
}

}  // namespace adarun::ranktable
