// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace adarun::launcher {

/// The process that runs a job, as others find it.
struct Supervisor {
  std::string host;  ///< The name of its machine.
  pid_t pid = 0;
  std::uint64_t ticks = 0;  ///< When it started (base::start_ticks).
  std::string folder;       ///< In the job index: its socket, and the output of a detached one; empty: none.
  bool detached = false;

  bool operator==(const Supervisor&) const = default;

  std::string socket() const { return folder + "/socket"; }
  std::string output() const { return folder + "/output"; }
};

/// This process, as a supervisor.
Supervisor supervisor_here(const std::string& folder, bool detached);

/// Whether it is surely gone: it was a process of this machine, and is none any more. One that /proc hides is
/// there as long as it listens at its socket.
bool is_gone(const Supervisor& supervisor);

}  // namespace adarun::launcher
