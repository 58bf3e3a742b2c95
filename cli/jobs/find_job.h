// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_dir.h"

namespace adarun::cli {

/// All jobs of the user's index, the newest first. What cannot be read there is left out.
std::vector<JobFile> indexed_jobs();

/// The job that a user means: a log folder, an id or the only beginning of one; nothing: the only job that
/// runs, else the last one. Throws Quit.
JobFile find_job(const std::string& name);

/// As find_job, and it has a supervisor on this machine. Throws Quit.
JobFile find_job_here(const std::string& name);

/// What became of it: the same job, or the last one that its supervisor has run after it.
JobFile last_run_of(const JobFile& job);

/// The words of a job's program, in one line.
std::string command_of(const JobFile& job);

}  // namespace adarun::cli
