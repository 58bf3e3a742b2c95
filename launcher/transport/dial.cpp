// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/dial.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "launcher/error.h"
#include "launcher/posix/system_text.h"

namespace adarun::launcher {

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  const auto* raw = reinterpret_cast<const sockaddr*>(&storage);
  if (getnameinfo(raw, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
  return host.data();
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
  const posix::FileDescriptor socket(::socket(other.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* raw = reinterpret_cast<const sockaddr*>(&other.storage);
  if (!socket || connect(socket.get(), raw, other.size) != 0) return "";
  SocketAddress own;
  own.size = sizeof own.storage;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own.storage), &own.size) != 0) return "";
  return own.text();
}

bool Dial::advance() {
  if (!socket_) return start_next();
  pollfd polled{socket_.get(), POLLOUT, 0};
  if (poll(&polled, 1, 0) == 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return true;
  fail(error);
  return false;
}

bool Dial::start_next() {
  const SocketAddress& address = addresses_[next_];
  socket_ =
      posix::FileDescriptor(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) throw Error("cannot make a socket: " + posix::system_text(errno));
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0)
    return true;
  if (errno != EINPROGRESS) fail(errno);
  return false;
}

void Dial::fail(int error) {
  const std::string where = addresses_[next_].text();
  socket_.reset();
  if (++next_ >= addresses_.size())
    throw Error("cannot connect to " + where + ": " + posix::system_text(error));
}

}  // namespace adarun::launcher
