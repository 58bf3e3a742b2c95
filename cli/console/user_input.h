// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include <termios.h>

namespace adarun::cli {

/// User input for a command that runs until stopped: keys, if stdin is a terminal in the foreground, and
/// SIGINT, SIGTERM, SIGHUP, except those that were ignored before. Keys are read without Enter and not
/// echoed. The destructor restores everything. At most one object at a time; create it before other threads
/// exist.
class UserInput {
 public:
  enum class Keys { read, leave };

  explicit UserInput(Keys keys);
  UserInput(const UserInput&) = delete;
  UserInput& operator=(const UserInput&) = delete;
  ~UserInput();

  /// Whether keys of a terminal are read.
  bool reads_keys() const { return terminal_.has_value(); }

  enum class Event { none, keys, interrupt };

  /// Waits for an event, at most this long.
  Event wait(std::chrono::milliseconds at_most);

  /// The bytes that the terminal sent for the keys of the last event.
  const std::string& typed() const { return typed_; }

 private:
  int signals_ = -1;
  sigset_t mask_{};
  std::optional<termios> terminal_;
  std::string typed_;
};

}  // namespace adarun::cli
