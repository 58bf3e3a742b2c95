// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/lab/table.h"

#include <string_view>
#include <unordered_set>

#include "ranktable/schemas/base/count_lines.h"
#include "ranktable/schemas/base/group_list.h"
#include "ranktable/schemas/lab/schema.h"

namespace adarun::ranktable {
namespace {

using ServerIds = std::unordered_set<std::string_view>;

void insert_servers(ServerIds& ids, const LabGroup& group) {
  for (const LabInstance& instance : group.instances) ids.insert(instance.server_id);
}

}  // namespace

std::size_t device_count(const LabTable& table) {
  std::size_t count = 0;
  for (const LabGroup& group : table.groups) count += group.instances.size();
  return count;
}

std::size_t server_count(const LabGroup& group) {
  ServerIds ids;
  insert_servers(ids, group);
  return ids.size();
}

std::size_t server_count(const LabTable& table) {
  ServerIds ids;
  for (const LabGroup& group : table.groups) insert_servers(ids, group);
  return ids.size();
}

std::vector<std::string> corrected_counts(const LabTable& table) {
  CountLines lines;
  lines.add("$.group_count", table.wrong_group_count, table.groups.size());
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const LabGroup& group = table.groups[i];
    const std::string path = group_path(i);
    lines.add(path + ".device_num", group.wrong_device_num, group.instances.size());
    lines.add(path + ".server_num", group.wrong_server_num, server_count(group));
    lines.add(path + ".instance_count", group.wrong_instance_count, group.instances.size());
  }
  lines.add("$.para_plane_nic_num", table.wrong_nic_num, table.para_plane_nic_names.size());
  return lines.take();
}

void keep(LabTable& table, const KeptDevices& kept) {
  for (LabGroup& group : table.groups) {
    keep_if(group.instances, [&kept](const LabInstance& instance) {
      return kept.has(instance.server_id, instance.device_id);
    });
    for (LabInstance& instance : group.instances) instance.rank_id = kept.new_rank(instance.rank_id);
    group.wrong_device_num.reset();
    group.wrong_server_num.reset();
    group.wrong_instance_count.reset();
  }
  keep_if(table.groups, [](const LabGroup& group) { return !group.instances.empty(); });
  table.wrong_group_count.reset();
}

}  // namespace adarun::ranktable
