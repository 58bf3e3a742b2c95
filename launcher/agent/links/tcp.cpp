// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/tcp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {
namespace {

constexpr int most_waiting = 128;

struct NumericAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }  // NOLINT: its type
};

// No name is looked up: a statically linked program cannot.
NumericAddress parse(const std::string& address, std::uint16_t port) {
  NumericAddress parsed;
  auto& v4 = reinterpret_cast<sockaddr_in&>(parsed.bytes);   // NOLINT: one of these it is
  auto& v6 = reinterpret_cast<sockaddr_in6&>(parsed.bytes);  // NOLINT
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    parsed.size = sizeof v4;
  } else if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    parsed.size = sizeof v6;
  } else {
    throw Error(address + ": not an IP address");
  }
  return parsed;
}

base::FileDescriptor socket_for(const NumericAddress& address) {
  base::FileDescriptor socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw Error("a socket: " + base::system_text(errno));
  return socket;
}

void set_up(const base::FileDescriptor& connection) {
  const timeval timeout{std::chrono::seconds(tcp_timeout).count(), 0};
  const int on = 1;
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// What a call that waited for `tcp_timeout` says is EAGAIN or EINPROGRESS.
std::string reason() {
  const bool timed_out = errno == EAGAIN || errno == EINPROGRESS;
  return timed_out ? "no answer within " + std::to_string(tcp_timeout.count()) + " s"
                   : base::system_text(errno);
}

}  // namespace

base::FileDescriptor listen_on(const std::string& address) {
  const NumericAddress place = parse(address, 0);
  base::FileDescriptor socket = socket_for(place);
  if (::bind(socket.get(), place.get(), place.size) != 0)
    throw Error(errno == EADDRNOTAVAIL ? address + ": not an address of this node"
                                       : address + ": " + base::system_text(errno));
  set_nonblocking(socket.get());  // A connection may be gone before it is accepted.
  if (::listen(socket.get(), most_waiting) != 0) throw Error(address + ": " + base::system_text(errno));
  return socket;
}

std::uint16_t port_of(const base::FileDescriptor& listening) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)  // NOLINT: its type
    throw Error("a port: " + base::system_text(errno));
  const bool is_v6 = address.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port  // NOLINT: as above
                     : reinterpret_cast<sockaddr_in&>(address).sin_port);  // NOLINT: as above
}

base::FileDescriptor accept_from(const base::FileDescriptor& listening) {
  base::FileDescriptor connection(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (connection) set_up(connection);
  return connection;
}

base::FileDescriptor connect_to(const std::string& address, std::uint16_t port) {
  const NumericAddress place = parse(address, port);
  base::FileDescriptor socket = socket_for(place);
  set_up(socket);
  if (::connect(socket.get(), place.get(), place.size) != 0)
    throw Error("connecting to " + address + " port " + std::to_string(port) + ": " + reason());
  return socket;
}

void send_all(const base::FileDescriptor& connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw Error("sending: " + reason());
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void receive_all(const base::FileDescriptor& connection, char* bytes, std::size_t size) {
  for (std::size_t received = 0; received < size;) {
    const ssize_t count = ::recv(connection.get(), bytes + received, size - received, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("receiving: " + reason());
    if (count == 0) throw Error("receiving: the other side has closed the connection");
    received += static_cast<std::size_t>(count);
  }
}

}  // namespace adarun::launcher::agent
