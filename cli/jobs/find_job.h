// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "cli/jobs/job_dir.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {

/// All jobs of an index, by default the user's, newest first. Entries that cannot be read are left out.
std::vector<JobFile> indexed_jobs(const std::filesystem::path& index = launcher::job_index());

/// The newest job of the user's index whose --name this is. Throws ExitError if the log folder of another job
/// has this path.
std::optional<JobFile> job_named(const std::string& name);

/// The job of the user's index with this id, or the only one whose id begins so. Throws ExitError if there
/// are several.
std::optional<JobFile> indexed_job(const std::string& id);

/// The job that a user names: by its --name, by log folder, by id, or by a unique prefix of an id. Empty: the
/// only running job, or if none runs, the newest one. Throws ExitError.
JobFile find_job(const std::string& name);

/// Requires that the job's supervisor runs or ran on this machine, and can be reached. Throws ExitError.
void require_here(const JobFile& job);

/// As find_job, and requires the same as require_here. Throws ExitError.
JobFile find_job_here(const std::string& name);

/// The last attempt at the job with this id, which is that of the first one; `job` itself if it is no first
/// attempt, or the only one.
JobFile last_attempt_of(const JobFile& job);

/// The newest run of the job's supervisor: the job itself, or its last restart, as it stands now. Of a job
/// that is in another index than the user's, it is looked for in the log folder.
JobFile last_run_of(const JobFile& job);

/// The program and arguments of a job, in one line; with roles: "prefill: ./prefill; decode: ./decode".
std::string command_of(const JobFile& job);

/// Reserves a name for a job that is about to be recorded in `index`, which must exist: as long as the result
/// is held, no other adarun can reserve one there. Throws ExitError if a running job has the name or ids of
/// jobs begin with it, or if another adarun holds the index for long.
base::FileDescriptor claim_name(const std::filesystem::path& index, const std::string& name);

/// Which attempt at its job this is, from 1 on.
std::size_t attempt_of(const JobFile& job);

/// The id of the first attempt at its job, which all attempts have in common.
std::string first_id_of(const JobFile& job);

/// Whether this attempt came after the one with this id.
bool continues_from(const JobFile& job, const std::string& id);

/// Whether another attempt may follow this one, which has ended: its ranks failed, or its nodes change
/// (`adarun resize --now`), and its supervisor still runs and has begun no other one.
bool may_continue(const JobFile& job);

/// Whether this attempt or the next one may still write to `folder`, where this one's logs are.
bool may_write_to(const std::filesystem::path& folder, const JobFile& job);

/// The nodes of this attempt in short form: "node[1,3]".
std::string node_list_of(const JobFile& job);

/// An earlier attempt in one line, cleaned: "ID on node[1-2], 4 ranks, 1.2 s: why it ended; what changed".
std::string text_of(const launcher::EarlierAttempt& attempt);

/// The log folder of an earlier attempt at `job`, whose own folder is `folder`: beside it, also where both
/// were moved. Empty if it is not there, or holds another job.
std::filesystem::path log_dir_of(const launcher::EarlierAttempt& attempt, const JobFile& job,
                                 const std::filesystem::path& folder);

}  // namespace adarun::cli
