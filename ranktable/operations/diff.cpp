// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/diff.h"

#include <map>
#include <set>
#include <tuple>

#include "ranktable/model/address.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

// Server, device, and how many equal pairs came before; the last is 0 in a valid table.
using Key = std::tuple<std::string, int, int>;

// The rows of a table with their keys.
class KeyedDevices {
 public:
  explicit KeyedDevices(const Table& table) : rows_(rows(table)) {
    std::map<std::pair<std::string, int>, int> seen;
    for (const Row& row : rows_) {
      keys_.emplace_back(row.server_id, row.device_id, seen[{row.server_id, row.device_id}]++);
      places_.emplace(keys_.back(), &row);
    }
  }
  KeyedDevices(const KeyedDevices&) = delete;
  KeyedDevices& operator=(const KeyedDevices&) = delete;

  // Calls `act` with each row, by rank, and the same device in `others`: nullptr if it has none.
  template <typename Act>
  void beside(const KeyedDevices& others, Act act) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto found = others.places_.find(keys_[i]);
      act(rows_[i], found == others.places_.end() ? nullptr : found->second);
    }
  }

 private:
  std::vector<Row> rows_;
  std::vector<Key> keys_;
  std::map<Key, const Row*> places_;
};

bool same_address(const std::string& left, const std::string& right) {
  if (left == right) return true;
  const auto left_address = parse_address(left);
  return left_address && left_address == parse_address(right);
}

// A field of a group: group_id, server_id, number of the server if it has no server_id, name of the field.
using FieldKey = std::tuple<std::string, std::string, std::size_t, std::string>;

struct FieldValues {
  std::string before;
  std::string after;
  int tables = 0;
  bool is_of_devices = true;  ///< Of a server that has some: others say where those went.
};

using GroupFields = std::map<FieldKey, FieldValues>;

void set_field(GroupFields& fields, const FieldKey& key, std::string FieldValues::*side,
               const std::string& value, bool is_of_devices) {
  FieldValues& values = fields[key];
  if (!(values.*side).empty()) return;  // A second entry of a server in its group.
  values.*side = value;
  ++values.tables;
  values.is_of_devices = values.is_of_devices && is_of_devices;
}

void add_fields(GroupFields& fields, const ServerGroupTable& table, std::string FieldValues::*side) {
  for (const ServerGroup& group : table.groups) {
    if (device_count(group) > 0)
      set_field(fields, {group.group_id, "", 0, "ranks"}, side,
                rank_order(group) == RankOrder::server ? "in each server" : "through the group", true);
    for (std::size_t i = 0; i < group.servers.size(); ++i) {
      const GroupServer& server = group.servers[i];
      const std::size_t number = server.server_id.empty() ? i : 0;
      const bool has_devices = !server.devices.empty();
      set_field(fields, {group.group_id, server.server_id, number, "server_ip"}, side, server.server_ip,
                has_devices);
      set_field(fields, {group.group_id, server.server_id, number, "container_ip"}, side, server.container_ip,
                has_devices);
    }
  }
}

std::vector<GroupFieldChange> changed_fields(const ServerGroupTable& before, const ServerGroupTable& after) {
  GroupFields fields;
  add_fields(fields, before, &FieldValues::before);
  add_fields(fields, after, &FieldValues::after);
  std::vector<GroupFieldChange> changes;
  for (const auto& [key, values] : fields) {
    const auto& [group_id, server_id, number, field] = key;
    if (!same_address(values.before, values.after) && (values.tables > 1 || !values.is_of_devices))
      changes.push_back({group_id, server_id, field, values.before, values.after});
  }
  return changes;
}

}  // namespace

Diff diff(const Table& before, const Table& after) {
  const KeyedDevices old_devices(before);
  const KeyedDevices new_devices(after);
  Diff diff;
  old_devices.beside(new_devices, [&diff](const Row& old, const Row* now) {
    if (now == nullptr) diff.removed.push_back(old);
  });
  std::set<std::string> pod_changed;
  new_devices.beside(old_devices, [&](const Row& now, const Row* old) {
    if (old == nullptr) return diff.added.push_back(now);
    if (old->rank != now.rank) diff.moved.push_back({*old, now});
    if (!same_address(old->device_ip, now.device_ip)) diff.address_changed.push_back({*old, now});
    if (old->super_device_id != now.super_device_id) diff.super_device_changed.push_back({*old, now});
    if (old->super_pod_id != now.super_pod_id && pod_changed.insert(now.server_id).second)
      diff.pod_changed.push_back({*old, now});
  });
  if (before.status != after.status) diff.status.emplace_back(before.status, after.status);
  return diff;
}

Diff diff(const ServerGroupTable& before, const ServerGroupTable& after) {
  const Table old_ranks = as_v1(before);
  const Table new_ranks = as_v1(after);
  Diff result = diff(old_ranks, new_ranks);
  const std::vector<GroupRank> old_groups = group_ranks_of(before);
  const std::vector<GroupRank> new_groups = group_ranks_of(after);
  const KeyedDevices old_devices(old_ranks);
  KeyedDevices(new_ranks).beside(old_devices, [&](const Row& now, const Row* old) {
    if (old == nullptr) return;
    const std::string& group_before = old_groups[static_cast<std::size_t>(old->rank)].group_id;
    const std::string& group_after = new_groups[static_cast<std::size_t>(now.rank)].group_id;
    if (group_before != group_after) result.group_changed.push_back({now, group_before, group_after});
  });
  result.group_fields = changed_fields(before, after);
  return result;
}

bool is_same(const Diff& diff) {
  return diff == Diff{};
}

}  // namespace adarun::ranktable
