// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace adarun::cli {

/// Refuses "" for a job or a place of logs: an unset variable, as in `adarun stop "$JOB"`, must not select
/// the default job.
CLI::Validator names_a_place();

/// Adds JOB: a job id, its prefix, or a log folder. `job` must outlive the parse, and stays "" if none is
/// given.
void add_job_argument(CLI::App& command, std::string& job);

}  // namespace adarun::cli
