// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

namespace adasum {

/// Sender and receiver in one world of threads. Splitting a world makes a new world.
struct Route {
  int world = 0;
  int from = 0;
  int to = 0;

  auto operator<=>(const Route&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

/// Messages between threads: in order on each route, copied when posted. May be called from any thread.
class Mailboxes {
 public:
  explicit Mailboxes(std::chrono::milliseconds deadline) : deadline_(deadline) {}

  /// Stores a copy of `message`; does not wait for the receiver.
  void post(const Route& route, std::span<const std::byte> message);

  /// Waits for the next message and copies it to `message`. Throws adasum::Error after the deadline, after
  /// fail(), or if the lengths differ.
  void take(const Route& route, std::span<std::byte> message);

  /// From now on, every take() that would wait throws adasum::Error.
  void fail();

  /// Returns a number for a new world.
  int new_world();

 private:
  struct Box {
    std::queue<std::vector<std::byte>> messages;
    std::condition_variable arrived;
  };

  std::vector<std::byte> next(const Route& route);

  const std::chrono::milliseconds deadline_;
  std::mutex mutex_;  // guards all below
  std::map<Route, Box> boxes_;
  bool failed_ = false;
  int worlds_ = 1;
};

}  // namespace adasum
