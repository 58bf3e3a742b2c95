// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/table.h"

namespace adarun::ranktable {

std::size_t device_count(const Table& table) {
  std::size_t count = 0;
  for (const Server& server : table.servers) count += server.devices.size();
  return count;
}

std::size_t server_count(const Table& table) {
  return table.servers.size();
}

bool is_plain(const Table& table) {
  for (const Server& server : table.servers)
    for (const Device& device : server.devices)
      if (!device.device_ip.empty()) return false;
  return device_count(table) > 0;
}

}  // namespace adarun::ranktable
