// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/placement.h"
#include "launcher/plan/job_options.h"

namespace adarun::cli {

/// The options of a job that runs `argv` as every rank, with all that they say read and made absolute, once:
/// the file of variables may be a pipe, or change before a restart. Throws ExitError with exit_usage for
/// variables that cannot be set.
LaunchOptions job_options(LaunchOptions options, const std::vector<std::string>& argv);

/// What is of the next attempt alone: a new job id such as "20261121-104502-3fa9c1", a new secret, and the
/// files to stage as they are now. Throws ExitError with exit_usage for files that cannot be staged.
launcher::AttemptOptions attempt_options(const LaunchOptions& options, const launcher::Placement& placement,
                                         std::vector<launcher::EarlierAttempt> earlier);

}  // namespace adarun::cli
