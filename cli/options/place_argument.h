// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace adarun::cli {

/// Refuses "" for a job or a place of logs: in `adarun stop "$JOB"` it comes of a variable that is not set,
/// and means another job than none does.
CLI::Validator names_a_place();

/// Adds JOB: a job id, its beginning, or a log folder. `job` outlives the parse, and stays "" where none is
/// given.
void add_job_argument(CLI::App& command, std::string& job);

}  // namespace adarun::cli
