// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/job/job.h"
#include "launcher/job/job_signals.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Drives one job over `transport` from its first connection to its end. The observer is called from here; an
/// exception of its own (a log that cannot be written) ends the job on every node and is its failure.
JobReport run_job(const Plan& plan, Transport& transport, const Job::Limits& limits, JobObserver& observer,
                  const SignalGuard& signals);

}  // namespace adarun::launcher
