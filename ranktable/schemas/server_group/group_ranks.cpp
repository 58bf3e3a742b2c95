// SPDX-License-Identifier: Apache-2.0
// Makes groups of the ranks of a table.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "ranktable/json/field_reader.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {
namespace {

constexpr const char* router_group = "0";

// The ranks of a table by their numbers: server and place in it.
using Places = std::unordered_map<int, std::pair<std::size_t, std::size_t>>;

// Addresses that the table names otherwise are among the extras; the container's is usually the server's.
GroupServer without_devices(const Server& server) {
  GroupServer result;
  result.server_id = server.server_id;
  result.extras = server.extras;
  const Extra* address = find_field(server.extras, "server_ip");
  const bool has_container = find_field(server.extras, "container_ip") != nullptr;
  if (address == nullptr) result.server_ip = server.server_id;
  if (!has_container && address == nullptr) result.container_ip = server.server_id;
  if (!has_container && address != nullptr) result.extras.push_back({"container_ip", address->json});
  if (!server.host_nic_ip.empty() && server.host_nic_ip != reserved_host_nic_ip)
    result.extras.push_back(text_field("host_nic_ip", server.host_nic_ip));
  return result;
}

void append_device(GroupServer& result, const Device& device, int rank) {
  GroupDevice& added = result.devices.emplace_back();
  added = {device.device_id, device.device_ip, rank, {}, device.super_device_id, device.extras};
  if (find_field(device.extras, "device_logical_id") == nullptr)
    added.logical_id = static_cast<int>(result.devices.size()) - 1;
}

// The super pods that have a server of a group.
class PodsOfGroups {
 public:
  explicit PodsOfGroups(const std::vector<SuperPod>& pods) : pods_(pods) {
    for (std::size_t i = 0; i < pods.size(); ++i)
      for (std::size_t j = 0; j < pods[i].servers.size(); ++j)
        places_[pods[i].servers[j].server_id].emplace_back(i, j);
  }

  std::vector<SuperPod> of(const ServerGroup& group) const {
    std::set<std::pair<std::size_t, std::size_t>> members;
    for (const GroupServer& server : group.servers)
      if (const auto places = places_.find(server.server_id); places != places_.end())
        members.insert(places->second.begin(), places->second.end());
    std::vector<SuperPod> kept;
    std::size_t last = 0;
    for (const auto& [pod, member] : members) {
      if (kept.empty() || pod != last) kept.push_back({pods_[pod].super_pod_id, {}, pods_[pod].extras});
      kept.back().servers.push_back(pods_[pod].servers[member]);
      last = pod;
    }
    return kept;
  }

 private:
  const std::vector<SuperPod>& pods_;
  std::unordered_map<std::string_view, std::vector<std::pair<std::size_t, std::size_t>>> places_;
};

Places places_of(const Table& ranks) {
  Places places;
  for (std::size_t i = 0; i < ranks.servers.size(); ++i)
    for (std::size_t j = 0; j < ranks.servers[i].devices.size(); ++j)
      places.emplace(ranks.servers[i].devices[j].rank_id, std::pair(i, j));
  return places;
}

// Servers and devices are in the order of the table.
ServerGroup group_of(const Table& ranks, const Places& places, const GroupSelection& selection) {
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, int>> devices;  // With their new ranks.
  for (const std::uint32_t rank : selection.ranks)
    devices.emplace_back(places.at(static_cast<int>(rank)), static_cast<int>(devices.size()));
  std::sort(devices.begin(), devices.end());
  ServerGroup group;
  group.group_id = selection.group_id;
  std::size_t last = 0;
  for (const auto& [place, rank] : devices) {
    const Server& server = ranks.servers[place.first];
    if (group.servers.empty() || place.first != last) group.servers.push_back(without_devices(server));
    append_device(group.servers.back(), server.devices[place.second], rank);
    last = place.first;
  }
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
    std::erase_if(entry.extras, [](const Extra& field) {
      return field.name != "server_ip" && field.name != "container_ip";
    });
  } else if (!router.empty()) {
    group.servers.push_back({router, router, router});
  }
  return group;
}

// Groups or selections of them.
template <typename Item>
void sort_by_id(std::vector<Item>& items) {
  const auto number = [](const Item& item) { return parse_decimal(item.group_id).value_or(-1); };
  std::stable_sort(items.begin(), items.end(),
                   [number](const Item& left, const Item& right) { return number(left) < number(right); });
}

void require_different_ids(const std::vector<GroupSelection>& sorted) {
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [](const GroupSelection& left, const GroupSelection& right) {
                                          return left.group_id == right.group_id;
                                        });
  if (twice != sorted.end()) throw Error("group " + twice->group_id + ": comes twice");
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

bool is_selected(const std::vector<GroupSelection>& selections, const std::string& group_id) {
  return std::any_of(selections.begin(), selections.end(),
                     [&group_id](const GroupSelection& each) { return each.group_id == group_id; });
}

ServerGroupTable group_ranks(const Table& ranks, std::vector<GroupSelection> selections,
                             const std::string& router, std::vector<ServerGroup> without_ranks) {
  require_server_ids(ranks);
  require_each_rank_once(ranks, selections);
  sort_by_id(selections);
  require_different_ids(selections);
  ServerGroupTable table;
  table.version = ranks.version;
  table.status = ranks.status;
  table.extras = ranks.extras;
  const bool has_others = !without_ranks.empty();
  table.groups = std::move(without_ranks);
  if (!has_others && !is_selected(selections, router_group)) table.groups.push_back(router_at(ranks, router));
  const Places places = places_of(ranks);
  const PodsOfGroups pods(ranks.super_pods);
  for (const GroupSelection& selection : selections) {
    ServerGroup& group = table.groups.emplace_back(group_of(ranks, places, selection));
    group.super_pods = pods.of(group);
  }
  sort_by_id(table.groups);
  // Fields of this schema among the extras of 1.x are read as such, and must be valid.
  return read_again(table, "as a server_group table");
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
