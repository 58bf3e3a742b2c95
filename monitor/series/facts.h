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

/// The ranks with a loss that failed, were stopped or lost while others with a loss go on or are done.
std::vector<std::uint32_t> ended_ranks(const Run& run);

/// The latest step that most ranks have printed: among the last three of the last attempt that has any, the
/// one with the most ranks, or with as many as have not ended before. Null if there are none.
const MergedPoint* current_point(const Run& run);

/// The step with the lowest median, among those where more than half of the ranks have a finite loss; steps
/// that only the fastest ranks have reached do not count. Null if there are none.
const MergedPoint* best_point(const Run& run);

/// The lowest median of the validations' losses. Null if none is finite.
const MergedPoint* best_validation(const Run& run);

/// The rank whose loss was nan or infinite at the lowest position.
struct FirstNotFinite {
  std::uint32_t rank = 0;
  Sample sample;
  std::uint32_t ranks = 0;  ///< How many ranks have had such a loss so far.
};
std::optional<FirstNotFinite> first_not_finite(const Run& run);

/// The gradient that ended the run, as printed by the lowest rank that reports one.
std::optional<GradientLine> bad_gradient(const Run& run);

/// "nan or inf on rank 3 at epoch 2 step 17".
std::string bad_gradient_text(const GradientLine& gradient);

}  // namespace adarun::monitor
