// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/kept_devices.h"

#include "ranktable/model/rows.h"

namespace adarun::ranktable {

KeptDevices::KeptDevices(const Table& ranks, const std::vector<std::string>& server_ids,
                         const std::vector<int>& device_ids)
    : servers_(server_ids.begin(), server_ids.end()), devices_(device_ids.begin(), device_ids.end()) {
  int next_rank = 0;
  for (const Row& row : rows(ranks))
    if (has(row.server_id, row.device_id)) new_ranks_.emplace(row.rank, next_rank++);
}

bool KeptDevices::has(const std::string& server_id) const {
  return servers_.empty() || servers_.count(server_id) != 0;
}

bool KeptDevices::has(const std::string& server_id, int device_id) const {
  return has(server_id) && (devices_.empty() || devices_.count(device_id) != 0);
}

}  // namespace adarun::ranktable
