// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/session/job_view.h"
#include "launcher/job/report.h"
#include "launcher/job/run.h"

namespace adarun::cli {

/// Waits, at a job's end, for a slow reader of our output, as long as the user does: until a signal comes,
/// and hardly at all where the job's end was asked for. Says so where not all could be written. False where a
/// signal came.
bool deliver_output(const launcher::JobReport& report, const launcher::SignalGuard& signals, JobView& view);

}  // namespace adarun::cli
