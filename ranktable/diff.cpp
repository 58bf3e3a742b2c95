// SPDX-License-Identifier: Apache-2.0
#include "ranktable/diff.h"

#include <map>
#include <set>

#include "ranktable/address.h"

namespace adarun::ranktable {
namespace {

using Key = std::pair<std::string, int>;

Key key(const Row& row) {
  return {row.server_id, row.device_id};
}

std::map<Key, const Row*> by_device(const std::vector<Row>& rows) {
  std::map<Key, const Row*> devices;
  for (const Row& row : rows) devices.emplace(key(row), &row);
  return devices;
}

std::vector<Row> without(const std::vector<Row>& rows, const std::map<Key, const Row*>& others) {
  std::vector<Row> rest;
  for (const Row& row : rows)
    if (others.count(key(row)) == 0) rest.push_back(row);
  return rest;
}

bool same_address(const std::string& left, const std::string& right) {
  if (left == right) return true;
  const auto left_address = parse_address(left);
  return left_address && left_address == parse_address(right);
}

}  // namespace

Diff diff(const Table& before, const Table& after) {
  const std::vector<Row> old_rows = rows(before);
  const std::vector<Row> new_rows = rows(after);
  const auto old_devices = by_device(old_rows);
  Diff diff;
  diff.removed = without(old_rows, by_device(new_rows));
  diff.added = without(new_rows, old_devices);
  std::set<std::string> repodded;
  for (const Row& now : new_rows) {
    const auto found = old_devices.find(key(now));
    if (found == old_devices.end()) continue;
    const Row& old = *found->second;
    if (old.rank != now.rank) diff.moved.push_back({old, now});
    if (!same_address(old.device_ip, now.device_ip)) diff.readdressed.push_back({old, now});
    if (old.super_device_id != now.super_device_id) diff.renumbered.push_back({old, now});
    if (old.super_pod_id != now.super_pod_id && repodded.insert(now.server_id).second)
      diff.repodded.push_back({old, now});
  }
  if (before.status != after.status) diff.status.emplace_back(before.status, after.status);
  return diff;
}

bool is_same(const Diff& diff) {
  return diff == Diff{};
}

}  // namespace adarun::ranktable
