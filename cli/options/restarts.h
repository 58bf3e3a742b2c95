// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <set>

#include "launcher/job/report.h"

namespace adarun::cli {

/// Whether and when a job that failed is run again, all of it.
struct Restarts {
  int most = 0;                            ///< How often.
  std::set<int> never_on;                  ///< Exit statuses of the job that another run would not change.
  std::chrono::milliseconds delay{1'000};  ///< Before the first one; twice as long before each further one.
};

/// The longest wait before a restart.
inline constexpr std::chrono::minutes longest_restart_delay{1};

/// Whether a job that has been run `runs` times and ended so is run again: when a rank failed or a node was
/// lost, and when nodes were out of reach though an earlier run had them. Not where its end was asked for,
/// its time was over, or its program is not there.
bool is_run_again(const launcher::JobReport& report, int runs, const Restarts& restarts);

/// The wait after `runs` runs.
std::chrono::milliseconds delay_after(int runs, const Restarts& restarts);

}  // namespace adarun::cli
