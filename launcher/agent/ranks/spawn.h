// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/protocol/process_limits.h"

namespace adarun::launcher::agent {

/// Limits and settings that a process gets before its program is executed.
struct ProcessSettings {
  base::FileDescriptor cgroup;  ///< cgroup.procs of its control group; -1: it stays in ours.
  std::vector<int> cpus;        ///< Empty: those of this process.
  int umask = -1;               ///< Negative: ours.
  std::vector<protocol::Limit> limits;
  std::vector<std::uint8_t> ignored;  ///< Signals to ignore.
  int inherited_fd = -1;              ///< A descriptor of ours that it inherits under the same number; -1:
                                      ///< none.
};

/// What to execute. No shell is involved.
struct Program {
  std::vector<std::string> argv;         ///< Not empty.
  std::vector<std::string> environment;  ///< "NAME=VALUE", all of it.
  std::string workdir;                   ///< Empty: the agent's own.
  std::string path;                      ///< Where argv[0] without '/' is looked up: folders separated by
                                         ///< ':'.
  protocol::Stdout out = protocol::Stdout::terminal;
  bool has_input = false;  ///< Its stdin is a pipe; else it is /dev/null.

  bool operator==(const Program&) const = default;
};

/// The files that are tried one after the other, as execvp(3) does; relative ones are below `workdir`.
std::vector<std::string> candidates_of(const Program& program);

/// A forked process that is about to execute its program. All descriptors are non-blocking.
struct Child {
  pid_t pid = -1;
  base::FileDescriptor in;   ///< What it reads from stdin is written here; -1: it reads /dev/null.
  base::FileDescriptor out;  ///< What it writes to stdout.
  base::FileDescriptor err;  ///< What it writes to stderr, a pipe.
  /// ExecErrors (launcher/agent/ranks/exec_error.h): `ready`, and then another one if the program could not
  /// be executed, only end of file if it was.
  base::FileDescriptor report;
};

/// Forks a process that executes `program`. It leads its own process group, has default signal handling
/// except for the signals that `settings` ignores, has /dev/null or a pipe as stdin, inherits no descriptor
/// of the agent except the one in `settings`, is limited by `settings`, else has the limit of open files of
/// the caller's parent (the caller has raised its own), and is killed when the calling thread ends. It stays
/// in the caller's session, which has no terminal: Linux shares processor time among sessions (autogroup),
/// and sched_yield, with which MPI waits, does not yield to another session. If it cannot join the control
/// group, it runs without. Throws agent::Error if no process or terminal can be created. The caller is
/// single-threaded, or its other threads hold no lock that matters: the child makes only system calls.
Child spawn(const Program& program, const ProcessSettings& settings = {});

}  // namespace adarun::launcher::agent
