// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/jobs/job_dir.h"

namespace adarun::cli {

/// A job that has ended, and what it occupies.
struct EndedJob {
  JobFile job;
  std::filesystem::path folder;  ///< Its log folder; empty if that is gone.
  std::filesystem::path entry;   ///< Its folder in the job index; empty if it has none.
  std::int64_t ended_ns = 0;     ///< Of a lost job: when its job.json was written last.
  std::uint64_t size_bytes = 0;  ///< Space on disk of both.
};

/// The jobs of this user that have ended, the newest first. Without `places`: those of the job index, and
/// those whose folders lie beside theirs, renamed by later jobs. Else these jobs of the index, by id or
/// name, and those at, beside (renamed) and directly in these folders. Leaves out what is no job's folder,
/// symbolic links, and all jobs in use. Throws ExitError for a place that is neither, and for a job that
/// runs.
std::vector<EndedJob> ended_jobs(const std::vector<std::string>& places);

/// The name of something in a job's log folder that adarun does not write, such as a checkpoint that the
/// program put there; empty if there is none.
std::string foreign_file_of(const EndedJob& ended);

/// Removes a job's log folder and its entry in the index. Symbolic links are removed, not followed. Throws
/// ExitError if the folder is in use or another job's by now, or cannot be removed as a whole.
void remove_job(const EndedJob& ended);

}  // namespace adarun::cli
