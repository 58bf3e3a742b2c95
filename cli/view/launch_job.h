// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/placement.h"
#include "cli/view/job_view.h"
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

/// Creates the view for one run of a job.
using MakeView = std::function<std::unique_ptr<JobView>(BackgroundOutput& output)>;

/// Runs `argv` as every rank of the job, restarts it after a failure if the options say so, and reports the
/// end on stderr. Returns the exit status of the last run. Throws ExitError if nothing could be started.
int launch_job(const LaunchOptions& options, const launcher::Placement& placement,
               const std::vector<std::string>& argv, const MakeView& make_view);

}  // namespace adarun::cli
