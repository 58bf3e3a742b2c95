// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

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

}  // namespace adarun::launcher::agent
