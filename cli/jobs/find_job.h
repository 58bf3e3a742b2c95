// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_dir.h"

namespace adarun::cli {

/// All jobs of the user's index, newest first. Entries that cannot be read are left out.
std::vector<JobFile> indexed_jobs();

/// The job that a user names: by log folder, by id, or by a unique prefix of an id. Empty: the only running
/// job, or if none runs, the newest one. Throws Quit.
JobFile find_job(const std::string& name);

/// As find_job, but requires that its supervisor runs or ran on this machine. Throws Quit.
JobFile find_job_here(const std::string& name);

/// The newest run of the job's supervisor: the job itself, or its last restart.
JobFile last_run_of(const JobFile& job);

/// The program and arguments of a job, in one line.
std::string command_of(const JobFile& job);

}  // namespace adarun::cli
