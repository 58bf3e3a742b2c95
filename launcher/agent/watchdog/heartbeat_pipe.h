// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/file_descriptor.h"
#include "launcher/agent/base/clock.h"

namespace adarun::launcher::agent {

/// What the agent tells the watchdog above it, over a pipe: that it lives, and which folders to remove and
/// which control group to end should it die. Lines of text: "beat MILLISECONDS", "folder PATH", "group PATH",
/// "cut".
/// Nothing in it blocks.
class HeartbeatPipe {
 public:
  /// Throws agent::Error.
  explicit HeartbeatPipe(base::FileDescriptor pipe);

  /// Proof of life, sent a few times within `timeout`, after which silence means that the agent stands
  /// still.
  void beat(Clock::time_point now, std::chrono::milliseconds timeout);

  /// When the next beat is due.
  Clock::time_point next() const { return next_; }

  /// The agent has let go of its first connection, now or before.
  void cut();

  /// A folder that the agent has made.
  void add_folder(const std::string& folder);

  /// A control group, with all that runs in it.
  void add_group(const std::string& path);

 private:
  bool say(const std::string& line);

  base::FileDescriptor pipe_;
  Clock::time_point next_{};
  std::chrono::milliseconds timeout_{0};
  bool has_said_cut_ = false;
};

}  // namespace adarun::launcher::agent
