// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/placement.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "launcher/base/error.h"
#include "launcher/plan/plan.h"
#include "ranktable/operations/convert.h"
#include "ranktable/operations/subset.h"
#include "ranktable/rules/rules.h"
#include "ranktable/write.h"

namespace adarun::launcher {
namespace {

void require_no_group_empty(const ranktable::AnyTable& whole, const ranktable::AnyTable& part) {
  const auto* groups = std::get_if<ranktable::ServerGroupTable>(&whole);
  if (groups == nullptr) return;
  const auto ids = emptied_groups(*groups, std::get<ranktable::ServerGroupTable>(part));
  if (!ids.empty()) throw Error("group " + ids.front() + " of the rank table would have no node");
}

// The part of the user's table that has the servers of `hosts`.
Placement part_of_table(const std::vector<Host>& hosts, const Placement& first) {
  Placement part = first;
  ranktable::Selection selection;
  std::map<std::string, Host> host_of_server;
  for (const Host& host : hosts) {
    const auto server = first.server_of_host.find(host.name);
    if (server == first.server_of_host.end()) throw Error(host.name + ": not in the job's rank table");
    selection.server_ids.push_back(server->second);
    host_of_server.emplace(selection.server_ids.back(), host);
  }
  const ranktable::AnyTable table = ranktable::subset(*first.whole_table, selection);
  require_no_group_empty(*first.whole_table, table);
  part.table_text = ranktable::write(table);
  part.table = ranktable::ranks_of(table);
  part.groups = rank_groups(table);
  part.hosts.clear();
  for (const ranktable::Server& server : part.table.servers) {
    Host& host = part.hosts.emplace_back(host_of_server.at(server.server_id));
    host.devices.clear();  // A list of hosts only says how to reach them.
    for (const ranktable::Device& device : server.devices) host.devices.push_back(device.device_id);
  }
  return part;
}

// As many of the first devices as AdaSum takes, and the hosts that have them.
std::vector<Host> taken_by_adasum(std::vector<Host> hosts, std::size_t world) {
  std::size_t left = std::bit_floor(world);
  if (const auto refusal = ranktable::adasum_refusal(left)) throw Error(*refusal);
  for (Host& host : hosts) {
    host.devices.resize(std::min(host.devices.size(), left));
    left -= host.devices.size();
  }
  std::erase_if(hosts, [](const Host& host) { return host.devices.empty(); });
  return hosts;
}

std::string ranks_of(const GroupRanks& group) {
  const std::string first = std::to_string(group.first);
  if (group.count == 1) return "rank " + first;
  return "ranks " + first + "-" + std::to_string(group.first + group.count - 1);
}

// A role has all ranks of a group, or none, or no others.
void require_group_fits(const Role& role, const GroupRanks& group) {
  const auto begin = std::ranges::lower_bound(role.ranks, group.first);
  const auto end = std::ranges::lower_bound(role.ranks, group.first + group.count);
  const auto common = static_cast<std::size_t>(end - begin);
  if (common > 0 && common < group.count && common < role.ranks.size())
    throw Error("--role " + role.name + ": has a part of group " + group.group_id +
                " of the rank table, which has " + ranks_of(group) + ", and ranks of another");
}

}  // namespace

std::vector<GroupRanks> rank_groups(const ranktable::AnyTable& table) {
  const auto* groups = std::get_if<ranktable::ServerGroupTable>(&table);
  if (groups == nullptr) return {};
  std::vector<GroupRanks> result;
  std::size_t first = 0;
  for (const ranktable::ServerGroup& group : groups->groups) {
    const std::size_t count = ranktable::device_count(group);
    if (count > 0) result.push_back({group.group_id, first, count});
    first += count;
  }
  return result;
}

Placement place_on(const std::vector<Host>& hosts, const Placement& first, bool adasum) {
  Placement placement = first;
  placement.hosts = hosts;
  if (first.whole_table) placement = part_of_table(hosts, first);
  const std::size_t world =
      first.whole_table ? ranktable::device_count(placement.table) : ranktable::device_count(table_of(hosts));
  const bool cut = adasum && ranktable::adasum_refusal(world);
  if (cut) placement.hosts = taken_by_adasum(placement.hosts, world);
  if (!first.whole_table)
    placement.table = table_of(placement.hosts);
  else if (cut)
    placement = part_of_table(placement.hosts, first);
  const auto refusal = ranktable::adasum_refusal(ranktable::device_count(placement.table));
  if (adasum && refusal) throw Error(*refusal);
  return placement;
}

void require_roles_fit(const std::vector<Role>& roles, std::size_t world_size) {
  try {
    role_of_ranks(roles, world_size);
  } catch (const Error& error) {
    throw Error(std::string("--role: ") + error.what());
  }
}

void require_roles_fit(const std::vector<Role>& roles, const Placement& placement) {
  require_roles_fit(roles, ranktable::device_count(placement.table));
  for (const Role& role : roles)
    for (const GroupRanks& group : placement.groups) require_group_fits(role, group);
}

void require_roles_fit(const std::vector<Role>& roles, const Placement& placement, const Placement& first) {
  if (roles.empty()) return;
  require_roles_fit(roles, ranktable::device_count(placement.table));
  const auto [now, before] = std::ranges::mismatch(placement.groups, first.groups);
  if (now == placement.groups.end() || before == first.groups.end()) return;
  const auto number = static_cast<std::uint32_t>(before->first);
  const auto role = std::ranges::find_if(
      roles, [number](const Role& each) { return std::ranges::count(each.ranks, number) > 0; });
  throw Error("--role " + role->name + ": group " + before->group_id + " of the rank table had " +
              ranks_of(*before) + ", and would have " + ranks_of(*now));
}

}  // namespace adarun::launcher
