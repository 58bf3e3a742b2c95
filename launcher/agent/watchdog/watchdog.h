// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/signals.h"
#include "launcher/agent/connection/connection.h"
#include "launcher/agent/ranks/cgroup.h"

namespace adarun::launcher::agent {

/// The parent process of the agent. If the agent is killed, or sends no beat for longer than it announced,
/// the watchdog kills everything that the agent ran, through the job's control group if there is one, and
/// removes its folders. Signals that ask it to end are forwarded to the agent.
class Watchdog {
 public:
  /// Watches the child process `agent`, whose HeartbeatPipe is read from `heartbeat_pipe`. `first` is kept
  /// open until the agent has closed it, so that it does not end before the last output of either process.
  /// Throws agent::Error.
  Watchdog(pid_t agent, base::FileDescriptor heartbeat_pipe, Connection first);

  /// Returns the agent's exit status once it and everything it ran are gone; 128+n if signal n ended it, with
  /// a line on stderr.
  int run();

 private:
  bool look_after();
  bool listen();
  void hear(const std::string& line);
  void expect_beat_in(std::chrono::milliseconds time);
  void miss_beat();
  void pass_signals_on();
  void kill_all();
  void end_orphans();
  bool reap();

  pid_t agent_;
  base::FileDescriptor heartbeat_;
  Connection first_;
  Signals signals_;
  std::string heard_;
  std::chrono::milliseconds timeout_;
  std::chrono::milliseconds starved_timeout_;  ///< The same where the agent waits for a processor.
  Clock::time_point heard_at_ = Clock::now();
  Clock::time_point due_{};  ///< When the next beat must have come.
  /// Set once the beat is late: for how long the agent had run when it was looked at last.
  std::optional<std::uint64_t> ran_ns_{};
  std::optional<std::string> killed_as_;  ///< What it did when the watchdog killed it, in parentheses.
  std::vector<std::string> folders_;
  std::vector<Cgroup> groups_;
};

/// For the child: has it told to end, by TERM, when its parent, `watchdog`, dies.
void live_under(pid_t watchdog);

}  // namespace adarun::launcher::agent
