// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace adarun::launcher {

/// The process that runs a job, and how other processes find it.
struct SupervisorProcess {
  std::string host;  ///< Host name of its machine.
  pid_t pid = 0;
  std::uint64_t ticks = 0;  ///< Its start time (base::start_ticks).
  std::string folder;       ///< In the job index; holds its socket and, if detached, its output; empty: none.
  bool detached = false;

  bool operator==(const SupervisorProcess&) const = default;

  std::string socket() const { return folder + "/socket"; }
  std::string output() const { return folder + "/output"; }
};

/// This process, as a supervisor.
SupervisorProcess supervisor_here(const std::string& folder, bool detached);

/// Whether it has certainly ended: it ran on this machine and no longer exists. One hidden by /proc counts as
/// running while it listens on its socket.
bool is_gone(const SupervisorProcess& supervisor);

/// Whether it was started on another machine and its socket is still there, which cannot be asked from here.
/// A supervisor removes its socket when it ends.
bool may_run_elsewhere(const SupervisorProcess& supervisor);

}  // namespace adarun::launcher
