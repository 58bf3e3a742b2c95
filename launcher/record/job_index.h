// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace adarun::launcher {

/// The folder of a job's logs and files, unless the user names another one.
inline constexpr const char* default_log_dir = "log_output";

/// The folder of all jobs of this user: `$XDG_STATE_HOME/adarun/jobs`, by default
/// `~/.local/state/adarun/jobs` (the home of the user's entry in the system where HOME is unset; empty where
/// there is none). One folder per job, named by its id: a copy of its job.json, and what a Supervisor has
/// there.
std::filesystem::path job_index();

/// How many jobs the index holds before the oldest ones are dropped from it.
inline constexpr std::size_t most_indexed_jobs = 300;

/// Drops the oldest jobs beyond that from the index, those that run excepted. Their log folders stay.
void prune_job_index(const std::filesystem::path& index);

}  // namespace adarun::launcher
