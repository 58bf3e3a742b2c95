// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/job/report.h"
#include "launcher/plan/job_options.h"

namespace adarun::launcher {

/// Whether another run may end better than one that has ended with `report`: yes if a rank failed or hung, or
/// nodes were lost or unreachable, or are to change; no if the job was interrupted, timed out, its program
/// does not exist, or every node refuses what is asked for its ranks.
bool may_run_again(const JobReport& report, const Restarts& restarts);

/// Whether its nodes were not reached.
bool could_not_start(const JobReport& report);

}  // namespace adarun::launcher
