// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "ranktable/convert/conversions.h"
#include "ranktable/convert/invented.h"
#include "ranktable/error.h"
#include "ranktable/server_name.h"

namespace adarun::ranktable {
namespace {

void require_order_of_hccl(const Table& ranks, const CloudTable& cloud) {
  std::map<std::pair<std::string, int>, int> rank_of;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices)
      rank_of[{server.server_id, device.device_id}] = device.rank_id;
  for (const Server& server : from_cloud(cloud).servers) {
    for (const Device& device : server.devices) {
      const int rank = rank_of[{server.server_id, device.device_id}];
      if (rank != device.rank_id)
        throw Error("server " + printable(server.server_id) + ": device " + std::to_string(device.device_id) +
                    ": its rank " + std::to_string(rank) + " would become " + std::to_string(device.rank_id) +
                    ": HCCL ranks a cloud table by server_id in byte order, then by device_id");
    }
  }
}

}  // namespace

CloudTable to_cloud(const Table& ranks, Additions& additions) {
  CloudTable cloud;
  cloud.status = ranks.status;
  CloudGroup& group = cloud.groups.emplace_back();
  group.group_name = invented::group_name;
  for (const Server& server : ranks.servers) {
    CloudInstance& pod = group.instances.emplace_back();
    pod.pod_name = server.server_id;
    pod.server_id = server.server_id;
    for (const Device& device : server.devices) pod.devices.push_back({device.device_id, device.device_ip});
  }
  require_order_of_hccl(ranks, cloud);
  additions.push_back(std::string("$.group_list[0].group_name: \"") + invented::group_name + "\"");
  additions.emplace_back("$.group_list[0].instance_list[*].pod_name: the server_id");
  return cloud;
}

}  // namespace adarun::ranktable
