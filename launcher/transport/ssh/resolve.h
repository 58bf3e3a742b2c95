// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <string>
#include <vector>

namespace adarun::launcher {

/// One address of a host, as the system's resolver gave it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  /// "10.0.0.1" or "fe80::1".
  std::string text() const;

  /// "10.0.0.1 port 22".
  std::string text_with_port() const;

  /// In 127.0.0.0/8, or ::1.
  bool is_loopback() const;
};

/// The address of this machine on the route to `other`, from the routing table; "" if there is no route.
/// Sends nothing.
std::string own_address_towards(const SocketAddress& other);

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
