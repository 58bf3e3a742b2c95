// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/tcp.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <memory>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {
namespace {

constexpr int most_waiting = 16;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// No name is looked up: a statically linked program cannot.
Addresses parse(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw Error(address + ": not an IP address");
  return Addresses(found);
}

base::FileDescriptor socket_for(const addrinfo& address) {
  base::FileDescriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
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
  const Addresses place = parse(address, 0);
  base::FileDescriptor socket = socket_for(*place);
  if (::bind(socket.get(), place->ai_addr, place->ai_addrlen) != 0)
    throw Error(errno == EADDRNOTAVAIL ? address + ": not an address of this node"
                                       : address + ": " + base::system_text(errno));
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
  const Addresses place = parse(address, port);
  base::FileDescriptor socket = socket_for(*place);
  set_up(socket);
  if (::connect(socket.get(), place->ai_addr, place->ai_addrlen) != 0)
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
