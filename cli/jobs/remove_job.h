// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/jobs/ended_jobs.h"

namespace adarun::cli {

/// The name of something in a job's log folder that adarun does not write, such as a checkpoint that the
/// program put there; empty if there is none.
std::string foreign_file_of(const EndedJob& ended);

/// Removes a job's log folder and its entry in the index. Symbolic links are removed, not followed. Throws
/// Quit if the folder is in use or another job's by now, or cannot be removed as a whole.
void remove_job(const EndedJob& ended);

}  // namespace adarun::cli
