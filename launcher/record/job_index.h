// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace adarun::launcher {

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
