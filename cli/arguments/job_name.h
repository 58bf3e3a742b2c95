// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::cli {

/// Whether a job may have this name: a letter or digit, then up to 62 letters, digits, '.', '_' and '-'.
bool is_job_name(std::string_view text);

/// Whether `text` could be (the beginning of) a job id, YYYYMMDD-HHMMSS-xxxxxx, as far as it goes.
bool begins_like_job_id(std::string_view text);

/// Whether `text` has the shape of a whole job id.
bool is_job_id(std::string_view text);

/// Adds --name: a name for the job, other than a whole date or more of a job id. `name` must outlive the
/// parse, and stays "" if none is given.
void add_job_name(CLI::App& command, std::string& name);

/// Refuses "" for a job or a place of logs: an unset variable, as in `adarun stop "$JOB"`, must not select
/// the default job.
CLI::Validator names_a_place();

/// Adds JOB: a job id, its prefix, a job's name, or a log folder. `job` must outlive the parse, and stays ""
/// if none is given.
void add_job_argument(CLI::App& command, std::string& job);

/// The same for any number of jobs; returns the argument.
CLI::Option* add_job_arguments(CLI::App& command, std::vector<std::string>& jobs);

}  // namespace adarun::cli
