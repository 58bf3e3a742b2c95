// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/connection_slots.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

namespace adarun::monitor::web {

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
