// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert/invented.h"

#include <set>

namespace adarun::ranktable::invented {

std::vector<std::string> nic_names(const Table& table) {
  std::set<int> device_ids;
  for (const Server& server : table.servers)
    for (const Device& device : server.devices) device_ids.insert(device.device_id);
  std::vector<std::string> names;
  names.reserve(device_ids.size());
  for (const int device_id : device_ids) names.push_back("eth" + std::to_string(device_id));
  return names;
}

}  // namespace adarun::ranktable::invented
