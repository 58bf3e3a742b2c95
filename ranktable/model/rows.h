// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// One rank and where it runs.
struct Row {
  int rank = 0;
  std::size_t node = 0;  ///< Position of its server in the table, from 0.
  std::string server_id;
  std::size_t local_rank = 0;  ///< Position among the ranks of its server, from 0.
  int device_id = 0;
  std::string device_ip;
  std::string super_pod_id;     ///< Empty: the server is in no super pod.
  std::string super_device_id;  ///< Empty: the device has none.

  bool operator==(const Row&) const = default;
};

/// One row for each device, sorted by rank.
std::vector<Row> rows(const Table& table);

}  // namespace adarun::ranktable
