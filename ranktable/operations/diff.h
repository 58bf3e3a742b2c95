// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {

/// A device that is in both tables, identified by server_id and device_id, but differs.
struct DeviceChange {
  Row before;
  Row after;

  bool operator==(const DeviceChange&) const = default;
};

/// A device that is in another group of a server_group table.
struct GroupChange {
  Row after;
  std::string group_before;
  std::string group_after;

  bool operator==(const GroupChange&) const = default;
};

/// What a group, or one of its servers, has otherwise in another server_group table.
struct GroupFieldChange {
  std::string group_id;
  std::string server_id;  ///< Empty: a server without it, or the group itself.
  std::string field;      ///< "server_ip", "container_ip", or "ranks": how they are numbered.
  std::string before;     ///< Empty: absent.
  std::string after;

  bool operator==(const GroupFieldChange&) const = default;
};

/// The differences between two tables that matter to a job. All lists are sorted by rank, by the new rank
/// where there are two.
struct Diff {
  std::vector<Row> removed;
  std::vector<Row> added;
  std::vector<DeviceChange> moved;                 ///< Has another rank.
  std::vector<DeviceChange> address_changed;       ///< Has another device_ip.
  std::vector<DeviceChange> super_device_changed;  ///< Has another super_device_id.
  std::vector<DeviceChange> pod_changed;   ///< Is in another super pod: the first device of each such server.
  std::vector<GroupChange> group_changed;  ///< Only of two server_group tables.
  std::vector<GroupFieldChange> group_fields;  ///< Only of two server_group tables; by group and server.
  std::vector<std::pair<std::string, std::string>> status;  ///< Before and after; empty if equal.

  bool operator==(const Diff&) const = default;
};

/// Compares ranks, addresses (fe80:0::1 equals fe80::1), super pods and status. Does not compare the order of
/// servers in the files, names of pods in cloud tables, counts, version and fields of other tools. If devices
/// are repeated, as in invalid tables, the first is compared with the first, and so on.
Diff diff(const Table& before, const Table& after);

/// Same, and compares in which group each device is, the addresses of servers in a group of both tables,
/// those of servers without devices in any, and whether the ranks of a group begin anew in each server.
Diff diff(const ServerGroupTable& before, const ServerGroupTable& after);

/// Whether nothing is different.
bool is_same(const Diff& diff);

}  // namespace adarun::ranktable
