// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/signals.h"
#include "launcher/agent/connection/connection.h"
#include "launcher/agent/ranks/cgroup.h"

namespace adarun::launcher::agent {

/// The process above the agent, which does what the agent no longer can: when the agent is killed, or stands
/// still for longer than it has said that it may, the watchdog ends all that the agent ran, by the control
/// group of the job where there is one, and removes its folders. Signals that ask it to end are passed on to
/// the agent.
class Watchdog {
 public:
  /// Of the child process `agent`, whose HeartbeatPipe is read from `heartbeat_pipe`. `first` is held until
  /// the agent has let go of it, so that it does not end before the last words of either. Throws
  /// agent::Error.
  Watchdog(pid_t agent, base::FileDescriptor heartbeat_pipe, Connection first);

  /// Returns the agent's exit status once it and everything it ran are gone; 128+n where signal n ended it,
  /// with a line on stderr.
  int run();

 private:
  bool look_after();
  bool listen();
  void hear(const std::string& line);
  void pass_signals_on();
  void end_orphans();
  bool reap();

  pid_t agent_;
  base::FileDescriptor heartbeat_;
  Connection first_;
  Signals signals_;
  std::string heard_;
  std::chrono::milliseconds timeout_;
  bool doubts_ = false;  ///< The agent was silent for its timeout; it gets a moment more.
  bool killed_ = false;
  std::vector<std::string> folders_;
  std::vector<Cgroup> groups_;
};

/// For the child: dies when its parent does, `watchdog`.
void live_under(pid_t watchdog);

/// For the child: its limit of open files is the watchdog's, which whoever started that may have changed
/// since.
void take_file_limit_of(pid_t watchdog);

}  // namespace adarun::launcher::agent
