// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <array>

#include "base/file_descriptor.h"

namespace adarun::launcher {

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  const auto* raw = reinterpret_cast<const sockaddr*>(&storage);
  if (getnameinfo(raw, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
  return host.data();
}

std::string SocketAddress::text_with_port() const {
  std::array<char, NI_MAXSERV> port{};
  const auto* raw = reinterpret_cast<const sockaddr*>(&storage);
  if (getnameinfo(raw, size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV) != 0) return text();
  return text() + " port " + port.data();
}

bool SocketAddress::is_loopback() const {
  if (storage.ss_family == AF_INET) {
    const auto* raw = reinterpret_cast<const sockaddr_in*>(&storage);
    return ntohl(raw->sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  const auto* raw = reinterpret_cast<const sockaddr_in6*>(&storage);
  return storage.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&raw->sin6_addr);
}

std::string own_address_towards(const SocketAddress& other) {
  // Connecting a datagram socket sends no datagram.
  const base::FileDescriptor socket(::socket(other.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* raw = reinterpret_cast<const sockaddr*>(&other.storage);
  if (!socket || connect(socket.get(), raw, other.size) != 0) return "";
  SocketAddress own;
  own.size = sizeof own.storage;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own.storage), &own.size) != 0) return "";
  return own.text();
}

}  // namespace adarun::launcher
