// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "cli/options/launch_options.h"
#include "cli/session/job_session.h"
#include "cli/session/job_view.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"
#include "launcher/supervisor/attempts.h"

namespace adarun::cli {

/// One run of a job: its start time, and what each of its nodes runs.
struct JobRun {
  std::int64_t begun_ns;
  launcher::AttemptOptions attempt;
  launcher::Plan plan;
  base::FileDescriptor folder_lock = {};  ///< Of the log folder, since the attempt before; else none.
  std::string result = {};                ///< Once it has ended, with --json: what to print of it.
};

/// What the nodes of the current attempt run.
launcher::Plan plan_of(const launcher::Attempts& attempts, const launcher::JobOptions& options,
                       const launcher::AttemptOptions& attempt);

/// Performs one run, the current one of `attempts`: connects to its nodes, shows it in `view`, writes its log
/// folder, and reports its end on stderr and in run.result. Spares that join change its plan. Errors during
/// the run become failures in the report; throws only if the log folder cannot be created.
launcher::JobReport run_once(const LaunchOptions& options, JobRun& run, launcher::Attempts& attempts,
                             JobSession& session, JobView& view);

}  // namespace adarun::cli
