// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ranktable/model/rows.h"

namespace adarun::ranktable {

/// A device of both tables, which server_id and device_id tell from others, that is not the same in them.
struct DeviceChange {
  Row before;
  Row after;

  bool operator==(const DeviceChange&) const = default;
};

/// What is different between two tables for the job that runs by them; everything by rank, the new one where
/// there are two.
struct Diff {
  std::vector<Row> removed;
  std::vector<Row> added;
  std::vector<DeviceChange> moved;                 ///< To another rank.
  std::vector<DeviceChange> address_changed;       ///< Another device_ip.
  std::vector<DeviceChange> super_device_changed;  ///< Another super_device_id.
  std::vector<DeviceChange> pod_changed;  ///< In another super pod: the first device of each such server.
  std::vector<std::pair<std::string, std::string>> status;  ///< Before and after; empty where it is the same.

  bool operator==(const Diff&) const = default;
};

/// Compares ranks, addresses (fe80:0::1 is fe80::1), super pods and status. The order of servers in the
/// files, names of pods in cloud tables, counts, version and fields of other tools are not compared. Of
/// devices that come twice, as in tables that are not valid, the first is compared with the first, and so on.
Diff diff(const Table& before, const Table& after);

/// Whether nothing is different.
bool is_same(const Diff& diff);

}  // namespace adarun::ranktable
