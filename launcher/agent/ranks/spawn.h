// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/protocol/process_limits.h"

namespace adarun::launcher::agent {

/// What a process is put under, and has, before its program is executed.
struct Bounds {
  base::FileDescriptor cgroup;  ///< Of a control group's cgroup.procs; -1: it stays in ours.
  std::vector<int> cpus;        ///< Empty: those of this process.
  int umask = -1;               ///< Below 0: ours.
  std::vector<protocol::Limit> limits;
  std::vector<std::uint8_t> ignored;  ///< Signals.
  int inherited_fd = -1;              ///< One of ours that it has too, under the same number; -1: none.
};

/// What to execute. Nothing in it passes a shell.
struct Program {
  std::vector<std::string> argv;         ///< Not empty.
  std::vector<std::string> environment;  ///< "NAME=VALUE", all of it.
  std::string workdir;                   ///< Empty: the agent's own.
  std::string path;                      ///< Where argv[0] without '/' is looked up: folders between ':'.
  protocol::Stdout out = protocol::Stdout::terminal;

  bool operator==(const Program&) const = default;
};

/// A process on its way to its program. All descriptors are non-blocking.
struct Child {
  pid_t pid = -1;
  base::FileDescriptor out;  ///< What it writes to stdout.
  base::FileDescriptor err;  ///< What it writes to stderr, a pipe.
  /// An ExecError (launcher/agent/ranks/exec_error.h) if the program could not be executed; nothing and the
  /// end if it was.
  base::FileDescriptor report;
};

/// Forks a process that leads a group of its own, has default signals but for those that `bounds` has it
/// ignore, /dev/null as stdin and nothing else of the agent's but what `bounds` names, is held by `bounds`,
/// dies with the calling thread, and executes `program`. All stay in the caller's session, which has no
/// terminal: Linux shares processor time out among sessions (autogroup), and sched_yield, by which MPI waits,
/// gives way to no process of another session. A control group that does not take it is done without. Throws
/// agent::Error where there is no process or terminal to be had. Single-threaded callers, or one whose other
/// threads hold no lock that matters: the child makes system calls only.
Child spawn(const Program& program, const Bounds& bounds = {});

}  // namespace adarun::launcher::agent
