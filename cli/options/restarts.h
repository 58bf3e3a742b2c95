// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "launcher/job/report.h"
#include "launcher/plan/job_options.h"

namespace adarun::cli {

/// Whether another run may end better than one that has ended with `report`: yes if a rank failed or hung, or
/// nodes were lost or unreachable, or are to change; no if the job was interrupted, timed out, its program
/// does not exist, or every node refuses what is asked for its ranks.
bool may_run_again(const launcher::JobReport& report, const launcher::Restarts& restarts);

/// Whether its nodes were not reached.
bool could_not_start(const launcher::JobReport& report);

/// Delay before restart `number`, from 1.
std::chrono::milliseconds delay_before(int number, const launcher::Restarts& restarts);

}  // namespace adarun::cli
