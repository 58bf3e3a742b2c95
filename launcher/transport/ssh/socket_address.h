// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <string>

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

}  // namespace adarun::launcher
