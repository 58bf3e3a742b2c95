// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <set>

#include "launcher/job/report.h"

namespace adarun::cli {

/// Whether and when to restart a failed job as a whole.
struct Restarts {
  int most = 0;            ///< Maximum number of restarts.
  std::set<int> never_on;  ///< Exit statuses of the job after which it is not restarted.
  /// Before the first restart; doubled before each further one. Zero: a second before the second one.
  std::chrono::milliseconds delay{0};
};

/// Whether another run may end better than one that has ended with `report`: yes if a rank failed or hung, or
/// nodes were lost or unreachable, or are to change; no if the job was interrupted, timed out, its program
/// does not exist, or every node refuses what is asked for its ranks.
bool may_run_again(const launcher::JobReport& report, const Restarts& restarts);

/// Whether its nodes were not reached.
bool could_not_start(const launcher::JobReport& report);

/// Delay before restart `number`, from 1.
std::chrono::milliseconds delay_before(int number, const Restarts& restarts);

}  // namespace adarun::cli
