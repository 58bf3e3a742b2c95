// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/ranks/cgroup.h"

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

/// What the main thread of a process does.
struct RunState {
  char letter = '?';         ///< As in /proc/PID/stat; R: it runs, or would if there were a processor for it.
  std::uint64_t ran_ns = 0;  ///< Since its start.
};

/// Whether an agent is hung that has sent no beat for `silence`, when it had run for `ran_at_beat_ns`. One
/// that waits for a processor, and had it for less than a quarter of that time, has until `starved_timeout`:
/// what it ran of late alone would count against one that has just got a processor. Pure.
bool is_hung(const RunState& agent, std::uint64_t ran_at_beat_ns, Clock::duration silence,
             std::chrono::milliseconds starved_timeout);

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
  Clock::time_point due_{};               ///< When the next beat must have come.
  std::uint64_t ran_at_beat_ns_ = 0;      ///< For how long the agent had run when it was heard.
  bool is_late_ = false;                  ///< The beat was late already when the agent was looked at last.
  std::optional<std::string> killed_as_;  ///< What it did when the watchdog killed it, in parentheses.
  std::vector<std::string> folders_;
  std::vector<Cgroup> groups_;
};

}  // namespace adarun::launcher::agent
