// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/cloud/schema.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/group_list.h"

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
      std::erase_if(pod.devices, [&](const GroupListDevice& device) {
        return !kept.has(pod.server_id, device.device_id);
      });
    std::erase_if(group.instances, [](const CloudInstance& pod) { return pod.devices.empty(); });
    group.wrong_instance_count.reset();
    group.wrong_device_count.reset();
  }
  std::erase_if(table.groups, [](const CloudGroup& group) { return group.instances.empty(); });
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
  const GroupListDevice* device = nullptr;
};

// In the order of the file.
std::vector<PlacedDevice> places_of(const CloudTable& table) {
  std::vector<PlacedDevice> places;
  for (const CloudGroup& group : table.groups)
    for (const CloudInstance& instance : group.instances)
      for (const GroupListDevice& device : instance.devices) places.push_back({instance.server_id, &device});
  return places;
}

// In the order of HCCL's ranks.
bool is_before(const PlacedDevice& left, const PlacedDevice& right) {
  return std::tie(left.server_id, left.device->device_id) <
         std::tie(right.server_id, right.device->device_id);
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
  std::vector<PlacedDevice> places = places_of(table);
  std::stable_sort(places.begin(), places.end(), is_before);
  TableBuilder builder;
  int rank = 0;
  for (const PlacedDevice& place : places)
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

namespace {

constexpr Rule group_count{"group_count must be the number of groups", "EI0014",
                           "write the number of groups, as a string"};
constexpr Rule instance_count{"instance_count must be the number of instances in the group", "EI0014",
                              "write the number of instances, as a string"};
constexpr Rule device_count_is_right{"device_count must be the number of devices in the group", "EI0014",
                                     "write the number of devices, as a string"};
constexpr Rule pod_has_name{"pod_name must not be empty", "EI0014", "write the name of the pod"};
constexpr Rule pod_is_unique{"a pod_name must be of one instance only", "EI0014",
                             "join the devices of one pod in one entry, or write each pod's own name"};
constexpr Rule has_devices{"an instance must have at least one device", "EI0014",
                           "add its devices, or take the instance out"};
constexpr Rule ranks_are_hccls{
    "HCCL ranks by server_id in byte order, then by device_id, not in the order of the file", "",
    "count on these ranks, not on the order of the file; adarun ranktable convert --to 1.0 writes them out",
    Severity::note};

constexpr SchemaForm form{.name = "cloud",
                          .lists = {"group_list", "instance_list", "devices"},
                          .rank_depth = 3,
                          .largest_device_id = largest_group_list_device_id,
                          .device_id_rule = &group_list_device_id,
                          .schema_path = "$",
                          .generations = {true, true, true, false}};

void note_order(const CloudTable& table, Findings& findings) {
  const std::vector<PlacedDevice> places = places_of(table);
  if (std::is_sorted(places.begin(), places.end(), is_before)) return;
  const PlacedDevice first = *std::min_element(places.begin(), places.end(), is_before);
  report(findings, ranks_are_hccls, "$.group_list",
         "rank 0 is device " + std::to_string(first.device->device_id) + " of " + in_quotes(first.server_id));
}

// Paths of instances by pod_name, which must be unique over all groups.
using Pods = std::unordered_map<std::string_view, std::string>;

void check_instance(const CloudInstance& instance, const std::string& path, Pods& pods, Findings& findings) {
  const std::string name = in_quotes(instance.pod_name);
  if (instance.pod_name.empty()) {
    report(findings, pod_has_name, path + ".pod_name", name);
  } else {
    check_name(instance.pod_name, path + ".pod_name", findings);
    const auto [first, is_new] = pods.emplace(instance.pod_name, path);
    if (!is_new) report_again(findings, pod_is_unique, path + ".pod_name", name, first->second);
  }
  check_server_id(instance.server_id, path + ".server_id", findings);
  if (instance.devices.empty()) report(findings, has_devices, path + ".devices", "");
}

void check_table(const CloudTable& table, Findings& findings) {
  check_has_groups(table.groups.size(), findings);
  check_count(table.wrong_group_count, table.groups.size(), group_count, "$.group_count", findings);
  GroupNames names;
  Pods pods;
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    check_group_name(group.group_name, i, names, findings);
    check_has_instances(group.instances.size(), i, findings);
    check_count(group.wrong_instance_count, group.instances.size(), instance_count,
                group_path(i) + ".instance_count", findings);
    check_count(group.wrong_device_count, device_count(group), device_count_is_right,
                group_path(i) + ".device_count", findings);
    for (std::size_t j = 0; j < group.instances.size(); ++j)
      check_instance(group.instances[j], instance_path(i, j), pods, findings);
  }
  note_order(table, findings);
}

DeviceIndex index_of(const CloudTable& table) {
  DeviceIndex index;
  index.form = &form;
  ServerNumbers numbers;
  for (std::uint32_t g = 0; g < table.groups.size(); ++g) {
    const std::vector<CloudInstance>& instances = table.groups[g].instances;
    for (std::uint32_t i = 0; i < instances.size(); ++i) {
      const std::uint32_t server = numbers.of(instances[i].server_id);
      const auto& devices = instances[i].devices;
      for (std::uint32_t d = 0; d < devices.size(); ++d)
        index.entries.push_back({server, devices[d].device_id, -1, devices[d].device_ip, {g, i, d}});
    }
  }
  index.servers = numbers.count();
  return index;
}

}  // namespace

void check(const CloudTable& table, const ValidateOptions& options, Findings& findings) {
  const DeviceIndex index = index_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_table(table, findings);
  check_device_ids(index, findings);
  check_addresses(index, options, findings);
  check_generations(index, options, findings);
  check_profile(index, options, findings);
}

}  // namespace adarun::ranktable
