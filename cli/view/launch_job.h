// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/placement.h"
#include "cli/view/job_view.h"

namespace adarun::cli {

/// Creates the view for one run of a job.
using MakeView = std::function<std::unique_ptr<JobView>(BackgroundOutput& output)>;

/// Runs `argv` as every rank of the job, restarts it after a failure if the options say so, and reports the
/// end on stderr. Returns the exit status of the last run. Throws ExitError if nothing could be started.
int launch_job(const LaunchOptions& options, const launcher::Placement& placement,
               const std::vector<std::string>& argv, const MakeView& make_view);

}  // namespace adarun::cli
