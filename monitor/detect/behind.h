// SPDX-License-Identifier: Apache-2.0
// Decides which ranks are behind. Healthy ranks print at different times, and logs are read one after the
// other, so a difference of one step, or of a few fast ones, means nothing. A rank is behind when both are
// true:
//   - its last step is more than two printed steps before the run's newest;
//   - other ranks printed the step after its last one more than a second before the newest line. If the
//     arrival times of lines are not known (logs of the past): the steps between take more than a second, by
//     the median of the printed times per step. If there are no such times either, only the first condition
//     counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// How many printed steps a rank may be behind the newest...
inline constexpr std::uint64_t max_lag_steps = 2;
/// ... and for how long.
inline constexpr std::chrono::milliseconds max_lag_time{1000};

/// Whether printed step times are used where the arrival times of lines are not known.
enum class Untimed { by_step_time, by_steps_alone };

/// The numbers of the ranks that have a loss and are more than `steps` printed steps behind, in order,
/// without ended_ranks().
std::vector<std::uint32_t> ranks_behind(const Run& run, std::uint64_t steps = max_lag_steps,
                                        Untimed untimed = Untimed::by_step_time);

}  // namespace adarun::monitor
