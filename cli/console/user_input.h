// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include <termios.h>

namespace adarun::cli {

/// What a user can say to a command that runs until told to stop: a key, where stdin is a terminal in the
/// foreground, and SIGINT, SIGTERM, SIGHUP, but for those that were ignored before. Keys come without Enter
/// and are not echoed. Undoes all of it when it ends. One at a time, and in a process without other threads.
class UserInput {
 public:
  enum class Keys { read, leave };

  explicit UserInput(Keys keys);
  UserInput(const UserInput&) = delete;
  UserInput& operator=(const UserInput&) = delete;
  ~UserInput();

  /// Whether there is a terminal whose keys are read.
  bool reads_keys() const { return terminal_.has_value(); }

  enum class Event { none, keys, interrupt };

  /// Waits for something to happen, at most this long.
  Event wait(std::chrono::milliseconds at_most);

  /// What the terminal has sent for the keys of the last event.
  const std::string& typed() const { return typed_; }

 private:
  int signals_ = -1;
  sigset_t mask_{};
  std::optional<termios> terminal_;
  std::string typed_;
};

}  // namespace adarun::cli
