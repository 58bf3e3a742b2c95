// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include <termios.h>

#include "base/file_descriptor.h"

namespace adarun::cli {

/// User input for a command that runs until stopped: keys, if stdin is a terminal in the foreground, and
/// SIGINT, SIGTERM, SIGHUP, except those that were ignored before. Keys are read without Enter and not
/// echoed. The destructor restores everything. A signal that is not taken for `timeout`, as the command
/// is blocked, for example in a write that nobody reads, ends the process with status 130, and so does one
/// that was taken if this object is still there `time_to_end` later. At most one object at a time; create it
/// before other threads exist, and destroy it after the last output.
class UserInput {
 public:
  enum class Keys { read, leave };

  static constexpr std::chrono::milliseconds timeout{2'000};
  static constexpr std::chrono::milliseconds time_to_end{5'000};

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
  void read_keys();
  Event interrupt() const;
  void restore_terminal() const;
  void end_if_standing_still() const;

  base::FileDescriptor signals_;
  base::FileDescriptor taken_;  ///< Readable once Event::interrupt was given.
  base::FileDescriptor end_;    ///< Readable once this object is being destroyed.
  sigset_t mask_{};
  std::optional<termios> terminal_;
  std::string typed_;
  std::thread watch_;
};

}  // namespace adarun::cli
