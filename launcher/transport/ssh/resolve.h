// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launcher/transport/ssh/socket_address.h"

namespace adarun::launcher {

/// A name to look up.
struct Endpoint {
  std::string hostname;
  int port = 0;
  int family = 0;  ///< AF_UNSPEC, AF_INET or AF_INET6.
};

/// Its addresses, or why there are none.
struct Resolved {
  std::vector<SocketAddress> addresses;
  std::string reason;  ///< One line that begins with the host's name; empty: it has addresses.

  /// The reason without that name.
  std::string reason_without_name() const;
};

/// All addresses of one name. Blocks as long as the system's resolver does.
Resolved resolve(const Endpoint& endpoint);

/// Resolves all names, several at once. A name that is not resolved within `deadline` is left to its thread,
/// as nothing can stop that before the process ends.
std::vector<Resolved> resolve_all(const std::vector<Endpoint>& endpoints, std::chrono::milliseconds deadline);

}  // namespace adarun::launcher
