// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/tcp.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "adasum/sockets/endpoint.h"
#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

constexpr std::chrono::milliseconds retry_interval{50};
constexpr int listen_backlog = SOMAXCONN;           // Ranks of a large world connect at once.
constexpr std::chrono::seconds answer_deadline{5};  // of one address
constexpr std::chrono::seconds own_name_deadline{30};

std::string system_text(int error) {
  return std::generic_category().message(error);
}

Descriptor make_socket(const addrinfo& address) {
  return Descriptor(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void set_option(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

// Small messages leave at once. A machine that is switched off is noticed also while nothing is sent.
void set_options(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

// Returns 0, or the error.
int await_connection(const Descriptor& socket, const addrinfo& address, const Deadline& deadline) {
  if (!socket) return errno;
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd ready{socket.get(), POLLOUT, 0};
  const Deadline mine(answer_deadline);
  while (::poll(&ready, 1, std::min(deadline.left_ms(), mine.left_ms())) <= 0)
    if (deadline.passed() || mine.passed()) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

// Returns 0, or the error. One that is connected to itself would keep the port from the one that is to listen
// there, also for a while after its end if it did not end at once.
int connect_one(const Descriptor& socket, const addrinfo& address, const Deadline& deadline) {
  if (const int error = await_connection(socket, address, deadline); error != 0) return error;
  if (!is_connected_to_itself(socket)) return 0;
  const linger at_once{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  return ECONNREFUSED;
}

std::string numeric(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (::getnameinfo(any, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  constexpr std::string_view version_4 =
      "::ffff:";  // in front of an address of version 4 at a socket of both
  const std::string_view text = host.data();
  return std::string(text.starts_with(version_4) ? text.substr(version_4.size()) : text);
}

bool is_again(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Descriptor listen_on(const Endpoint& endpoint) {
  const Addresses addresses = resolve(endpoint, AI_PASSIVE, Deadline(own_name_deadline));
  std::vector<const addrinfo*> order;
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next)
    order.push_back(address);
  // A socket for all addresses of version 6 takes those of version 4, too.
  if (endpoint.host.empty())
    std::stable_partition(order.begin(), order.end(),
                          [](const addrinfo* one) { return one->ai_family == AF_INET6; });
  int error = 0;
  for (const addrinfo* address : order) {
    Descriptor socket = make_socket(*address);
    if (socket) set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (socket && address->ai_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (socket && ::bind(socket.get(), address->ai_addr, address->ai_addrlen) == 0 &&
        ::listen(socket.get(), listen_backlog) == 0)
      return socket;
    error = errno;
  }
  throw Error("cannot listen: " + system_text(error));
}

std::uint16_t port_of(const Descriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw Error("no port of a listener: " + system_text(errno));
  const bool v6 = address.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                  : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

std::optional<Descriptor> accept_from(const Descriptor& listener) {
  Descriptor connection(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!connection && (errno == EMFILE || errno == ENFILE))
    throw Error("cannot take a connection: " + system_text(errno));
  if (!connection) return std::nullopt;
  set_options(connection.get());
  return connection;
}

Descriptor connect_to(const Endpoint& endpoint, const Deadline& deadline) {
  const Addresses addresses = resolve(endpoint, 0, deadline);
  while (true) {
    int error = 0;
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
      Descriptor socket = make_socket(*address);
      error = connect_one(socket, *address, deadline);
      if (error != 0) continue;
      set_options(socket.get());
      return socket;
    }
    if (deadline.passed()) throw Error("cannot connect: " + system_text(error));
    std::this_thread::sleep_for(std::min(retry_interval, std::chrono::milliseconds(deadline.left_ms())));
  }
}

bool is_connected_to_itself(const Descriptor& connection) {
  sockaddr_storage own{};
  sockaddr_storage other{};
  socklen_t own_size = sizeof own;
  socklen_t other_size = sizeof other;
  return ::getsockname(connection.get(), reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         ::getpeername(connection.get(), reinterpret_cast<sockaddr*>(&other), &other_size) == 0 &&
         own_size == other_size && std::memcmp(&own, &other, own_size) == 0;
}

std::string own_address(const Descriptor& connection) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(connection.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return numeric(address, size);
}

std::string peer_address(const Descriptor& connection) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getpeername(connection.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return numeric(address, size);
}

std::chrono::milliseconds unanswered_for(int connection) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  const bool answered = info.tcpi_unacked == 0 && info.tcpi_probes == 0;
  return std::chrono::milliseconds(answered ? 0 : info.tcpi_last_ack_recv);
}

std::size_t write_some(int connection, std::span<const std::byte> head, std::span<const std::byte> body,
                       std::span<const std::byte> tail) {
  // An iovec is of both directions.
  std::array<iovec, 3> parts = {iovec{const_cast<std::byte*>(head.data()), head.size()},   // NOLINT
                                iovec{const_cast<std::byte*>(body.data()), body.size()},   // NOLINT
                                iovec{const_cast<std::byte*>(tail.data()), tail.size()}};  // NOLINT
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t written = ::sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (written >= 0) return static_cast<std::size_t>(written);
  if (is_again(errno)) return 0;
  throw ConnectionLost(system_text(errno));
}

std::size_t read_some(int connection, std::span<std::byte> bytes, std::span<std::byte> tail) {
  std::array<iovec, 2> parts = {iovec{bytes.data(), bytes.size()}, iovec{tail.data(), tail.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t got = ::recvmsg(connection, &message, MSG_DONTWAIT);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got == 0) throw ConnectionLost("its end of the connection is closed");
  if (is_again(errno)) return 0;
  throw ConnectionLost(system_text(errno));
}

}  // namespace adasum::sockets
