// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

#include <termios.h>

namespace adarun::cli {

/// What a user can say to a command that runs until told to stop: a key, where stdin is a terminal in the
/// foreground, and SIGINT, SIGTERM, SIGHUP. Keys come without Enter and are not echoed. Undoes all of it when
/// it ends. One at a time, and in a process without other threads.
class UserInput {
 public:
  enum class Keys { read, leave };

  explicit UserInput(Keys keys);
  UserInput(const UserInput&) = delete;
  UserInput& operator=(const UserInput&) = delete;
  ~UserInput();

  enum class Event { none, quit_key, interrupt };

  /// Waits for something to happen, at most this long. `quit_key` is a q.
  Event wait(std::chrono::milliseconds at_most);

 private:
  int signals_ = -1;
  sigset_t mask_{};
  std::optional<termios> terminal_;
};

}  // namespace adarun::cli
