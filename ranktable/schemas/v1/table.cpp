// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/table.h"

#include "ranktable/schemas/base/count_lines.h"
#include "ranktable/schemas/v1/schema.h"

namespace adarun::ranktable {

std::vector<std::string> corrected_counts(const Table& table) {
  CountLines lines;
  lines.add("$.server_count", table.wrong_server_count, table.servers.size());
  return lines.take();
}

void keep(Table& table, const KeptDevices& kept) {
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

}  // namespace adarun::ranktable
