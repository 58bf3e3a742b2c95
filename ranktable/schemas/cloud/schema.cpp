// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/cloud/schema.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/cloud/table.h"

namespace adarun::ranktable {

bool is_cloud(JsonValue root) {
  return !root.member("version") && root.member("group_list") && !root.member("deploy_mode");
}

std::size_t device_count(const CloudGroup& group) {
  std::size_t count = 0;
  for (const CloudInstance& instance : group.instances) count += instance.devices.size();
  return count;
}

std::size_t device_count(const CloudTable& table) {
  std::size_t count = 0;
  for (const CloudGroup& group : table.groups) count += device_count(group);
  return count;
}

std::size_t server_count(const CloudTable& table) {
  std::unordered_set<std::string_view> servers;
  for (const CloudGroup& group : table.groups)
    for (const CloudInstance& instance : group.instances) servers.insert(instance.server_id);
  return servers.size();
}

void keep(CloudTable& table, const KeptDevices& kept) {
  for (CloudGroup& group : table.groups) {
    for (CloudInstance& pod : group.instances)
      keep_if(pod.devices,
              [&](const CloudDevice& device) { return kept.has(pod.server_id, device.device_id); });
    keep_if(group.instances, [](const CloudInstance& pod) { return !pod.devices.empty(); });
    group.wrong_instance_count.reset();
    group.wrong_device_count.reset();
  }
  keep_if(table.groups, [](const CloudGroup& group) { return !group.instances.empty(); });
  table.wrong_group_count.reset();
}

namespace {

void add_instance(std::vector<SchemaField>& facts, const std::string& path, const CloudInstance& instance) {
  add_unless(facts, path + ".pod_name", instance.pod_name, instance.server_id);
  for (std::size_t i = 0; i < instance.devices.size(); ++i)
    add_facts(facts, FieldKind::own, item_path(path + ".devices", i), instance.devices[i].extras);
  add_facts(facts, FieldKind::own, path, instance.extras);
}

}  // namespace

std::vector<SchemaField> facts_of(const CloudTable& table) {
  std::vector<SchemaField> facts;
  add_group_facts(facts, table.groups, add_instance);
  add_facts(facts, FieldKind::own, "$", table.extras);
  return facts;
}

namespace {

struct PlacedDevice {
  std::string_view server_id;
  const CloudDevice* device = nullptr;
};

std::vector<PlacedDevice> places_in_order(const CloudTable& table) {
  std::vector<PlacedDevice> places;
  for (const CloudGroup& group : table.groups)
    for (const CloudInstance& instance : group.instances)
      for (const CloudDevice& device : instance.devices) places.push_back({instance.server_id, &device});
  std::stable_sort(places.begin(), places.end(), [](const PlacedDevice& left, const PlacedDevice& right) {
    return std::tie(left.server_id, left.device->device_id) <
           std::tie(right.server_id, right.device->device_id);
  });
  return places;
}

void require_order_of_hccl(const Table& ranks, const CloudTable& cloud) {
  std::map<std::pair<std::string, int>, int> rank_of;
  for (const Server& server : ranks.servers)
    for (const Device& device : server.devices)
      rank_of[{server.server_id, device.device_id}] = device.rank_id;
  for (const Server& server : as_v1(cloud).servers) {
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

Table as_v1(const CloudTable& table) {
  TableBuilder builder;
  int rank = 0;
  for (const PlacedDevice& place : places_in_order(table))
    builder.add(std::string(place.server_id), {place.device->device_id, place.device->device_ip, rank++});
  Table result = builder.take();
  result.status = table.status;
  return result;
}

CloudTable to_cloud(const Table& ranks, Additions& additions) {
  require_server_ids(ranks);
  CloudTable cloud;
  cloud.status = ranks.status;
  CloudGroup& group = cloud.groups.emplace_back();
  group.group_name = default_group_name;
  for (const Server& server : ranks.servers) {
    CloudInstance& pod = group.instances.emplace_back();
    pod.pod_name = server.server_id;
    pod.server_id = server.server_id;
    for (const Device& device : server.devices) pod.devices.push_back({device.device_id, device.device_ip});
  }
  require_order_of_hccl(ranks, cloud);
  additions.push_back(std::string("$.group_list[0].group_name: \"") + default_group_name + "\"");
  additions.emplace_back("$.group_list[0].instance_list[*].pod_name: the server_id");
  return cloud;
}

}  // namespace adarun::ranktable
