// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// One process, as listed in /proc.
struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;          ///< 0: unknown.
  std::uint64_t start = 0;  ///< As base::start_ticks(); 0: unknown, as of a child of ours that /proc hides.

  bool operator==(const Process&) const = default;
};

/// The processes of `all` that `root` is an ancestor of. Pure.
std::vector<Process> descendants(pid_t root, const std::vector<Process>& all);

/// Every process that /proc shows, and every child of this process: if /proc is mounted with hidepid, it
/// hides those that we may not inspect, such as an ssh-agent.
std::vector<Process> running_processes();

/// Sends `number` to this process, unless it has ended: another one that has its pid now is not meant.
void signal_process(int number, const Process& process);

/// Sends `number` to the process groups `groups`, and to every descendant of this process outside them.
void signal_tree(int number, const std::vector<pid_t>& groups);

/// Sends `number` to every descendant of this process in the process group `group`, whose leader may be gone.
void signal_group(int number, pid_t group);

/// Whether a child that has not been reaped is ending already: it exits, or a signal that cannot be undone
/// has reached it (man 5 proc: the flags of stat, and the pending signals of status). False if /proc does not
/// tell.
bool is_ending(pid_t pid);

/// Whether a child that has not been reaped, which may have ended, has executed a program since its fork.
/// False if /proc does not tell.
bool has_executed(pid_t pid);

/// Where a rank of this node is in its life.
struct RankLife {
  enum class State { runs, ended_well, failed };

  std::uint32_t rank = 0;
  pid_t pid = 0;
  State state = State::runs;
};

/// The descendants of this process that ranks which ended well have left running. Not those of ranks that
/// run, nor what is ending by itself. A process belongs to the rank of its control group, or of the variables
/// RANK and ADARUN_JOB_ID that it began with; one that has neither counts once no rank runs.
protocol::LeftRunning left_running(const std::vector<RankLife>& ranks);

}  // namespace adarun::launcher::agent
