// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/outside_addresses.h"

#include <algorithm>

namespace adarun::launcher {
namespace {

// The first address that is no loopback address, else the first one.
const SocketAddress& best_of(const std::vector<SocketAddress>& addresses) {
  const auto outside = std::find_if_not(addresses.begin(), addresses.end(),
                                        [](const SocketAddress& each) { return each.is_loopback(); });
  return outside == addresses.end() ? addresses.front() : *outside;
}

}  // namespace

std::vector<std::string> outside_addresses(
    const std::vector<std::vector<SocketAddress>>& hosts,
    const std::function<std::string(const SocketAddress&)>& own_address) {
  const auto elsewhere = std::find_if(hosts.begin(), hosts.end(), [](const auto& each) {
    return !each.empty() && !best_of(each).is_loopback();
  });
  const std::string own = elsewhere == hosts.end() ? "" : own_address(best_of(*elsewhere));
  std::vector<std::string> texts;
  for (const std::vector<SocketAddress>& addresses : hosts) {
    if (addresses.empty()) {
      texts.emplace_back();
      continue;
    }
    const SocketAddress& best = best_of(addresses);
    texts.push_back(best.is_loopback() && !own.empty() ? own : best.text());
  }
  return texts;
}

}  // namespace adarun::launcher
