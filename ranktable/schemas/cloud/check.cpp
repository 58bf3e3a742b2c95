// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ranktable/model/quote.h"
#include "ranktable/rules/rules.h"
#include "ranktable/rules/unknown_fields.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {
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
                          .device_ids = group_list_device_ids,
                          .schema_path = "$",
                          .generations = {true, true, true, false}};

struct DevicePlace {
  std::string_view server_id;
  int device_id = 0;

  bool operator<(const DevicePlace& other) const {
    return std::tie(server_id, device_id) < std::tie(other.server_id, other.device_id);
  }
};

void note_order(const CloudTable& table, Findings& findings) {
  std::vector<DevicePlace> places;
  for (const CloudGroup& group : table.groups)
    for (const CloudInstance& instance : group.instances)
      for (const CloudDevice& device : instance.devices)
        places.push_back({instance.server_id, device.device_id});
  if (std::is_sorted(places.begin(), places.end())) return;
  const DevicePlace first = *std::min_element(places.begin(), places.end());
  report(findings, ranks_are_hccls, "$.group_list",
         "rank 0 is device " + std::to_string(first.device_id) + " of " + in_quotes(first.server_id));
}

// Checks instances; pod names must be unique over all groups.
class Instances {
 public:
  explicit Instances(const CloudTable& table) : table_(table) {}

  void check(std::size_t group, std::size_t number, Findings& findings) {
    const CloudInstance& instance = table_.groups[group].instances[number];
    const std::string path = instance_path(group, number);
    check_pod(instance.pod_name, {group, number}, findings);
    check_server_id(instance.server_id, path + ".server_id", findings);
    if (instance.devices.empty()) report(findings, has_devices, path + ".devices", "");
  }

 private:
  using Spot = std::pair<std::size_t, std::size_t>;  // group, instance

  void check_pod(const std::string& name, const Spot& spot, Findings& findings) {
    const auto path = [&spot] { return instance_path(spot.first, spot.second) + ".pod_name"; };
    if (name.empty()) return report(findings, pod_has_name, path(), in_quotes(name));
    check_name(name, path(), findings);
    const auto [holder, is_new] = pods_.emplace(name, spot);
    if (!is_new)
      report(findings, pod_is_unique, path(),
             in_quotes(name) + ", which " + instance_path(holder->second.first, holder->second.second) +
                 " has too");
  }

  const CloudTable& table_;
  std::unordered_map<std::string_view, Spot> pods_;
};

void check_table(const CloudTable& table, Findings& findings) {
  check_has_groups(table.groups.size(), findings);
  check_count(table.wrong_group_count, table.groups.size(), group_count, "$.group_count", findings);
  GroupNames names;
  Instances instances(table);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    names.check(group.group_name, i, findings);
    check_has_instances(group.instances.size(), i, findings);
    check_count(group.wrong_instance_count, group.instances.size(), instance_count,
                group_path(i) + ".instance_count", findings);
    check_count(group.wrong_device_count, device_count(group), device_count_is_right,
                group_path(i) + ".device_count", findings);
    for (std::size_t j = 0; j < group.instances.size(); ++j) instances.check(i, j, findings);
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
      const std::vector<CloudDevice>& devices = instances[i].devices;
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
