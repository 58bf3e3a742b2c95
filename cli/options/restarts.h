// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <set>

#include "launcher/job/report.h"

namespace adarun::cli {

/// Whether and when to restart a failed job as a whole.
struct Restarts {
  int most = 0;                            ///< Maximum number of restarts.
  std::set<int> never_on;                  ///< Exit statuses of the job after which it is not restarted.
  std::chrono::milliseconds delay{1'000};  ///< Before the first restart; doubled before each further one.
};

/// The longest wait before a restart.
inline constexpr std::chrono::minutes longest_restart_delay{1};

/// Whether to restart a job that has run `runs` times and ended with `report`: yes if a rank failed or hung,
/// a node was lost, or nodes were unreachable that an earlier run had reached; no if the job was interrupted,
/// timed out, or its program does not exist.
bool is_run_again(const launcher::JobReport& report, int runs, const Restarts& restarts);

/// Delay after `runs` runs.
std::chrono::milliseconds delay_after(int runs, const Restarts& restarts);

}  // namespace adarun::cli
