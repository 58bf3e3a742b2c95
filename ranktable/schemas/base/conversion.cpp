// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/conversion.h"

#include <utility>

#include "ranktable/model/server_name.h"

namespace adarun::ranktable {

void require_server_ids(const Table& table) {
  for (const Server& server : table.servers) require_server_id(server.server_id);
}

bool TableBuilder::add(const std::string& server_id, Device device) {
  const auto [place, is_new] = places_.emplace(server_id, table_.servers.size());
  if (is_new) table_.servers.push_back({server_id, "", {}});
  table_.servers[place->second].devices.push_back(std::move(device));
  return is_new;
}

}  // namespace adarun::ranktable
