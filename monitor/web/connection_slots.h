// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace adarun::monitor::web {

/// The connections that a server has room for. Where it is full, a connection whose request has not arrived
/// yet makes room for a new one: the oldest from the address that has most of these. So nobody keeps others
/// out by connecting and saying nothing. Not thread-safe.
class ConnectionSlots {
 public:
  explicit ConnectionSlots(std::size_t most) : most_(most) {}

  struct Entry {
    bool has_room = true;
    std::optional<int> evicted = {};  ///< A connection to be shut down; it has its slot no longer.
  };

  /// Adds a connection from this address, until it leaves. Without room it has no slot.
  Entry enter(int socket, const std::string& address);

  /// Its request has arrived: it keeps its slot.
  void keep(int socket);

  void leave(int socket) { connections_.erase(socket); }

  /// Calls `visit` with each connection that has not left.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const auto& [socket, connection] : connections_) visit(socket);
  }

 private:
  enum class State { waiting, kept, without_slot };

  struct Connection {
    std::string address;
    std::uint64_t number = 0;  ///< Of all connections so far.
    State state = State::waiting;
  };

  std::size_t taken() const;
  Connection* to_evict(int& socket);

  std::size_t most_;
  std::uint64_t count_ = 0;
  std::map<int, Connection> connections_;
};

/// The address of the other end of a socket, as bytes; of IPv6 its network of 64 bits, which one host may
/// have whole.
std::string peer_address(int socket);

}  // namespace adarun::monitor::web
