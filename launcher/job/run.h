// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/job/job.h"
#include "launcher/job/job_input.h"
#include "launcher/job/job_signals.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// What comes from outside while a job runs.
struct FromOutside {
  const SignalGuard& signals;
  JobInput& input;
};

/// Runs one job over `transport` from its first connection to its end. The observer is called from this
/// thread; an exception that it throws (such as a log that cannot be written) ends the job on every node as
/// its failure. `take_place`: as of Job.
JobReport run_job(const Plan& plan, Transport& transport, JobObserver& observer,
                  const FromOutside& from_outside, NodeReplacement::TakePlace take_place = {});

}  // namespace adarun::launcher
