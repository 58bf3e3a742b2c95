// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/file_descriptor.h"
#include "launcher/agent/base/clock.h"

namespace adarun::launcher::agent {

/// The agent's messages to the watchdog, its parent process, over a pipe: that it is alive, and which folders
/// to remove and which control group to kill if it dies. Lines of text: "beat MILLISECONDS MILLISECONDS",
/// "folder PATH", "group PATH", "cut". Nothing in it blocks.
class HeartbeatPipe {
 public:
  /// Throws agent::Error.
  explicit HeartbeatPipe(base::FileDescriptor pipe);

  int fd() const { return pipe_.get(); }

  /// Sends a beat a few times per `timeout`. If none arrives for that long, the agent is considered hung; or
  /// for `starved`, where it waits for a processor.
  void beat(Clock::time_point now, std::chrono::milliseconds timeout, std::chrono::milliseconds starved);

  /// When the next beat is due.
  Clock::time_point next() const { return next_; }

  /// Tells that the agent has closed its first connection. May be called repeatedly.
  void cut();

  /// Registers a folder that the agent has created.
  void add_folder(const std::string& folder);

  /// Registers a control group, with everything that runs in it.
  void add_group(const std::string& path);

 private:
  bool say(const std::string& line);

  base::FileDescriptor pipe_;
  Clock::time_point next_{};
  std::chrono::milliseconds timeout_{0};
  bool has_said_cut_ = false;
};

}  // namespace adarun::launcher::agent
