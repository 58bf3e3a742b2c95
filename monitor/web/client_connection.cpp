// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/client_connection.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace adarun::monitor::web {

bool ClientConnection::wait(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd watched{socket_, events, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool ClientConnection::fill() {
  if (begin_ < end_) return true;
  if (!wait(POLLIN, read_by_)) return false;
  const ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), 0);
  begin_ = 0;
  end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got >= 0;
}

ssize_t ClientConnection::read(char* bytes, std::size_t size) {
  if (request_bytes_ >= most_request_bytes || !fill()) return -1;
  const std::size_t taken = std::min({size, end_ - begin_, most_request_bytes - request_bytes_});
  std::memcpy(bytes, buffer_.data() + begin_, taken);
  begin_ += taken;
  request_bytes_ += taken;
  return static_cast<ssize_t>(taken);
}

bool ClientConnection::is_readable() {
  return begin_ < end_ || wait(POLLIN, read_by_);
}

ssize_t ClientConnection::write(std::string_view bytes) {
  const auto wanted = static_cast<ssize_t>(bytes.size());
  while (!bytes.empty()) {
    if (!wait(POLLOUT, Clock::now() + most_write)) return -1;
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return -1;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return wanted;
}

bool ClientConnection::is_open() const {
  pollfd watched{socket_, POLLRDHUP, 0};
  return poll(&watched, 1, 0) == 0;
}

void ClientConnection::reject(std::string_view answer) {
  // Reads and drops what the client still sends: closing a socket with unread bytes would reset the
  // connection and lose the answer.
  constexpr std::chrono::milliseconds most_drain(300);
  if (write(answer) < 0) return;
  shutdown(socket_, SHUT_WR);
  read_by_ = Clock::now() + most_drain;
  while (fill() && end_ > 0) begin_ = end_;
}

ConnectionSlots::Entry ConnectionSlots::enter(int socket, const std::string& address) {
  Entry entry;
  if (taken() >= most_) {
    int oldest = -1;
    Connection* evicted = to_evict(oldest);
    entry.has_room = evicted != nullptr;
    if (evicted != nullptr) {
      evicted->state = State::without_slot;
      entry.evicted = oldest;
    }
  }
  connections_[socket] = {address, count_++, entry.has_room ? State::waiting : State::without_slot};
  return entry;
}

void ConnectionSlots::keep(int socket) {
  const auto found = connections_.find(socket);
  if (found != connections_.end() && found->second.state == State::waiting) found->second.state = State::kept;
}

std::size_t ConnectionSlots::taken() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      connections_, [](const auto& each) { return each.second.state != State::without_slot; }));
}

ConnectionSlots::Connection* ConnectionSlots::to_evict(int& socket) {
  std::map<std::string, std::size_t> waiting;
  for (const auto& [each, connection] : connections_)
    if (connection.state == State::waiting) ++waiting[connection.address];
  Connection* chosen = nullptr;
  for (auto& [each, connection] : connections_) {
    if (connection.state != State::waiting) continue;
    const std::size_t here = waiting[connection.address];
    const std::size_t there = chosen == nullptr ? 0 : waiting[chosen->address];
    if (here < there || (here == there && connection.number > chosen->number)) continue;
    chosen = &connection;
    socket = each;
  }
  return chosen;
}

std::string peer_address(int socket) {
  constexpr std::size_t network_bytes = 8;
  sockaddr_in6 v6{};
  socklen_t size = sizeof v6;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&v6), &size) != 0) return {};
  if (v6.sin6_family == AF_INET6) {
    const auto* bytes = reinterpret_cast<const char*>(v6.sin6_addr.s6_addr);
    const bool is_v4 = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
    return is_v4 ? std::string(bytes + 12, 4) : std::string(bytes, network_bytes);
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(v6);
  return {reinterpret_cast<const char*>(&v4.sin_addr), sizeof v4.sin_addr};
}

}  // namespace adarun::monitor::web
