// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::monitor::web {

/// One connection of a client; every wait has a deadline. Borrows the socket.
class ClientConnection {
 public:
  using Clock = std::chrono::steady_clock;

  /// A whole request must arrive within this time after the connection.
  static constexpr std::chrono::seconds most_request{10};

  /// The bytes of a request that are read; the HTTP library bounds the length of a header line, but not their
  /// number.
  static constexpr std::size_t most_request_bytes = 64U << 10U;

  /// The connection fails if the client accepts no bytes for this long.
  static constexpr std::chrono::seconds most_write{10};

  explicit ClientConnection(int socket) : socket_(socket), read_by_(Clock::now() + most_request) {}

  /// Reads at most `size` bytes; returns 0 at the end, -1 if none came in time or the request is longer than
  /// most_request_bytes.
  ssize_t read(char* bytes, std::size_t size);

  /// Writes all bytes; returns their number, or -1.
  ssize_t write(std::string_view bytes);

  bool is_readable();

  /// Whether the client still has the connection open.
  bool is_open() const;

  int socket() const { return socket_; }

  /// Sends `answer` and shuts down in order, without reading the request first.
  void reject(std::string_view answer);

 private:
  bool fill();
  bool wait(short events, Clock::time_point deadline) const;

  int socket_;
  Clock::time_point read_by_;
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t request_bytes_ = 0;  ///< Read so far.
};

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
