// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/jobs/job_dir.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {

/// All jobs of an index, by default the user's, newest first. Entries that cannot be read are left out.
std::vector<JobFile> indexed_jobs(const std::filesystem::path& index = launcher::job_index());

/// The newest job of the user's index whose --name this is. Throws Quit if the log folder of another job has
/// this path.
std::optional<JobFile> job_named(const std::string& name);

/// The job of the user's index with this id, or the only one whose id begins so. Throws Quit if there are
/// several.
std::optional<JobFile> indexed_job(const std::string& id);

/// The job that a user names: by its --name, by log folder, by id, or by a unique prefix of an id. Empty: the
/// only running job, or if none runs, the newest one. Throws Quit.
JobFile find_job(const std::string& name);

/// Requires that the job's supervisor runs or ran on this machine, and can be reached. Throws Quit.
void require_here(const JobFile& job);

/// As find_job, and requires the same as require_here. Throws Quit.
JobFile find_job_here(const std::string& name);

/// The last attempt at the job with this id, which is that of the first one; `job` itself if it is no first
/// attempt, or the only one.
JobFile last_attempt_of(const JobFile& job);

/// The newest run of the job's supervisor: the job itself, or its last restart, as it stands now. Of a job
/// that is in another index than the user's, it is looked for in the log folder.
JobFile last_run_of(const JobFile& job);

/// The program and arguments of a job, in one line; with roles: "prefill: ./prefill; decode: ./decode".
std::string command_of(const JobFile& job);

}  // namespace adarun::cli
