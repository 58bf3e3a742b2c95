// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

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

}  // namespace adarun::cli
