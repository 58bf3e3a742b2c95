// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

/// The folder of all jobs of this user: `$XDG_STATE_HOME/adarun/jobs`, by default
/// `~/.local/state/adarun/jobs` (if HOME is unset, the home in the user's passwd entry; empty if that does
/// not exist). One folder per job, named by its id, holds a copy of its job.json and the files of its
/// SupervisorProcess.
std::filesystem::path job_index();

/// Maximum number of jobs in the index before the oldest ones are dropped.
inline constexpr std::size_t most_indexed_jobs = 300;

/// Drops a job from its index, except if it runs, or has a socket of another machine, which cannot be asked
/// from here. Its log folder stays.
void drop_from_index(const std::filesystem::path& job);

/// Drops the oldest jobs beyond that from the index, except running ones. Their log folders stay.
void prune_job_index(const std::filesystem::path& index);

}  // namespace adarun::launcher
