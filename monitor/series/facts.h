// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// The throughput last printed by the lowest rank that prints one, because trainers print that of the whole
/// job.
std::optional<double> images_per_s(const Run& run);

/// The same, if it had been printed at this position.
std::optional<double> images_per_s_at(const Run& run, std::uint64_t position);

/// The accuracy last printed, likewise.
std::optional<double> accuracy(const Run& run);

/// The ranks with a loss that failed, were stopped or lost while others with a loss continue or are done.
std::vector<std::uint32_t> ended_ranks(const Run& run);

/// The latest step that most ranks have printed: among the last three of the last attempt that has any, the
/// one with the most ranks, or with as many as have not ended before. Null if there are none.
const MergedPoint* current_point(const Run& run);

/// The step with the lowest median, among those where more than half of the ranks have a finite loss; steps
/// that only the fastest ranks have reached do not count. Null if there are none.
const MergedPoint* best_point(const Run& run);

/// The lowest median of the validations' losses. Null if none is finite.
const MergedPoint* best_validation(const Run& run);

/// The median loss of a point; "nan" if no rank has a finite loss there.
std::string median_text(const MergedPoint& point);

/// The rank whose loss was nan or infinite at the lowest position.
struct FirstNotFinite {
  std::uint32_t rank = 0;
  Sample sample;
  std::uint32_t ranks = 0;  ///< How many ranks have had such a loss so far.
};
std::optional<FirstNotFinite> first_not_finite(const Run& run);

/// The gradient that ended the run, as printed by the lowest rank that reports one.
std::optional<GradientLine> bad_gradient(const Run& run);

// Healthy ranks print at different times, and logs are read one after the other, so a difference of one step,
// or of a few fast ones, means nothing. A rank is behind when both are true:
//   - its last step is more than two printed steps before the run's newest;
//   - other ranks printed the step after its last one more than a second before the newest line. If the
//     arrival times of lines are not known (logs of the past): the steps between take more than a second, by
//     the median of the printed times per step. If there are no such times either, only the first condition
//     counts.

/// How many printed steps a rank may be behind the newest.
inline constexpr std::uint64_t max_lag_steps = 2;

/// Whether printed step times are used where the arrival times of lines are not known.
enum class StepTimeSource { by_step_time, by_steps_alone };

/// The numbers of the ranks that have a loss and are more than `steps` printed steps behind, in order,
/// without ended_ranks().
std::vector<std::uint32_t> ranks_behind(const Run& run, std::uint64_t steps = max_lag_steps,
                                        StepTimeSource untimed = StepTimeSource::by_step_time);

/// Whether a rank prints no steps any more: none for longer than five seconds, and than ten times as long as
/// it usually takes from one to the next, before others printed their last. Where arrival times are not
/// known: in a log that ranks share, the lines between count; of a rank that runs, when its log was last
/// written. If none of that is known, it counts as silent. A rank that has ended well does not.
bool is_silent(const Run& run, const RunRank& rank);

}  // namespace adarun::monitor
