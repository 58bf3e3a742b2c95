// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/subset.h"

#include <algorithm>
#include <set>

#include "ranktable/model/error.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

template <typename Item>
void require_different(std::vector<Item> items, const std::string& what, std::string (*text)(const Item&)) {
  std::sort(items.begin(), items.end());
  const auto twice = std::adjacent_find(items.begin(), items.end());
  if (twice != items.end()) throw Error(what + " " + text(*twice) + ": selected twice");
}

bool has_device(const Server& server, int device_id) {
  return std::any_of(server.devices.begin(), server.devices.end(),
                     [device_id](const Device& device) { return device.device_id == device_id; });
}

void require_known(const Table& ranks, const Selection& selection) {
  require_different<std::string>(selection.server_ids, "server", [](const std::string& id) { return id; });
  require_different<int>(selection.device_ids, "device", [](const int& id) { return std::to_string(id); });
  const std::set<std::string> wanted(selection.server_ids.begin(), selection.server_ids.end());
  std::set<std::string> known;
  for (const Server& server : ranks.servers) {
    known.insert(server.server_id);
    if (!wanted.empty() && wanted.count(server.server_id) == 0) continue;
    for (const int device_id : selection.device_ids)
      if (!has_device(server, device_id))
        throw Error("server " + printable(server.server_id) + ": has no device " + std::to_string(device_id));
  }
  for (const std::string& server_id : selection.server_ids)
    if (known.count(server_id) == 0) throw Error("server " + server_id + ": is not in the table");
}

}  // namespace

AnyTable subset(const AnyTable& table, const Selection& selection) {
  const Table ranks = ranks_of(table);
  require_known(ranks, selection);
  const KeptDevices kept(ranks, selection.server_ids, selection.device_ids);
  AnyTable result = table;
  std::visit([&kept](auto& each) { keep(each, kept); }, result);
  return result;
}

}  // namespace adarun::ranktable
