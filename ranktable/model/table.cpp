// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/table.h"

#include <algorithm>
#include <map>

namespace adarun::ranktable {

const Extra* find_field(const std::vector<Extra>& fields, std::string_view name) {
  const auto field =
      std::find_if(fields.begin(), fields.end(), [name](const Extra& each) { return each.name == name; });
  return field == fields.end() ? nullptr : &*field;
}

std::size_t device_count(const Table& table) {
  std::size_t count = 0;
  for (const Server& server : table.servers) count += server.devices.size();
  return count;
}

std::size_t server_count(const Table& table) {
  return table.servers.size();
}

bool is_plain(const Table& table) {
  return device_count(table) > 0 &&
         !any_device(table, [](const Device& device) { return !device.device_ip.empty(); });
}

std::vector<Row> rows(const Table& table) {
  std::map<std::string, std::string> pod_of;
  for (const SuperPod& pod : table.super_pods)
    for (const SuperPodMember& member : pod.servers) pod_of.emplace(member.server_id, pod.super_pod_id);
  std::vector<Row> rows;
  for (std::size_t node = 0; node < table.servers.size(); ++node) {
    const Server& server = table.servers[node];
    for (const Device& device : server.devices)
      rows.push_back({device.rank_id, node, server.server_id, 0, device.device_id, device.device_ip,
                      pod_of[server.server_id], device.super_device_id});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& left, const Row& right) { return left.rank < right.rank; });
  std::vector<std::size_t> next_local_rank(table.servers.size());
  for (Row& row : rows) row.local_rank = next_local_rank[row.node]++;
  return rows;
}

}  // namespace adarun::ranktable
