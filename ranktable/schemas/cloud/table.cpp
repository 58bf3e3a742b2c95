// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/cloud/table.h"

#include <string_view>
#include <unordered_set>

#include "ranktable/schemas/base/count_lines.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/cloud/schema.h"

namespace adarun::ranktable {

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

std::vector<std::string> corrected_counts(const CloudTable& table) {
  CountLines lines;
  lines.add("$.group_count", table.wrong_group_count, table.groups.size());
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    lines.add(group_path(i) + ".instance_count", group.wrong_instance_count, group.instances.size());
    lines.add(group_path(i) + ".device_count", group.wrong_device_count, device_count(group));
  }
  return lines.take();
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

}  // namespace adarun::ranktable
