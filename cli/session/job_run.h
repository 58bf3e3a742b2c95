// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cli/options/launch_options.h"
#include "cli/session/job_session.h"
#include "cli/session/job_view.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"
#include "launcher/transport/connect.h"

namespace adarun::cli {

/// One run of a job: when it began, where its nodes are, and what each of them runs.
struct JobRun {
  std::int64_t begun_ns;
  launcher::SshTargets targets;
  launcher::Plan plan;
};

/// Sees one run through: connects to its nodes, shows it in `view`, writes its log folder, and reports its
/// end on stderr. What goes wrong on the way is a failure in the report; throws only where the log folder
/// cannot be made.
launcher::JobReport run_once(const LaunchOptions& options, const JobRun& run, const JobSession& session,
                             JobView& view);

}  // namespace adarun::cli
