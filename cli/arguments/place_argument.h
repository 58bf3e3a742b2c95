// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace adarun::cli {

/// Refuses "" for a job or a place of logs: an unset variable, as in `adarun stop "$JOB"`, must not select
/// the default job.
CLI::Validator names_a_place();

/// Adds JOB: a job id, its prefix, a job's name, or a log folder. `job` must outlive the parse, and stays ""
/// if none is given.
void add_job_argument(CLI::App& command, std::string& job);

/// The same for any number of jobs; returns the argument.
CLI::Option* add_job_arguments(CLI::App& command, std::vector<std::string>& jobs);

}  // namespace adarun::cli
