// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
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

}  // namespace adarun::monitor::web
