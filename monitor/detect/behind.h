// SPDX-License-Identifier: Apache-2.0
// Ranks that are in step print at different times, and logs are read one after the other: a step of
// difference, or some quick ones, say nothing. A rank is behind when both are true:
//   - its last step lies more than two printed steps before the run's newest;
//   - others have printed the step that it has to print next more than a second before the newest line. Where
//     nobody has seen lines arrive (logs of the past): the steps between take more than a second, at the
//     median of the printed times per step. Where there are no such times either, the first alone tells.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// How many printed steps a rank may lie behind the newest...
inline constexpr std::uint64_t max_lag_steps = 2;
/// ... and for how long.
inline constexpr std::chrono::milliseconds max_lag_time{1000};

/// Where nobody has seen lines arrive: whether printed step times count.
enum class Untimed { by_step_time, by_steps_alone };

/// Ranks that have a loss and are behind, with `steps` instead of two, by number.
std::vector<std::uint32_t> ranks_behind(const Run& run, std::uint64_t steps = max_lag_steps,
                                        Untimed untimed = Untimed::by_step_time);

}  // namespace adarun::monitor
