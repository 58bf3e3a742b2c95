// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/detect/finding.h"
#include "monitor/series/facts.h"
#include "monitor/series/run.h"

namespace adarun::monitor {

/// What there is to say about a run in a few lines.
struct Summary {
  std::uint64_t ranks = 0;
  std::uint64_t ranks_with_loss = 0;
  std::uint64_t ranks_with_time = 0;  ///< That have printed a time per step.
  std::uint64_t steps = 0;            ///< Printed steps, over all ranks together (each counted once).
  std::optional<MergedPoint> first;
  std::optional<MergedPoint> last;  ///< Of the ranks that have come so far.
  std::optional<MergedPoint> now;   ///< The latest that nearly all ranks have printed: see current_point.
  std::optional<MergedPoint> best;  ///< That with the lowest median.
  std::uint64_t stride = 1;         ///< Positions a point stands for: above 1, first and last are means.
  std::optional<double> images_per_s;
  std::optional<double> accuracy;
  std::optional<double> step_ms;  ///< As printed last; the slowest rank's.
  std::optional<FirstNotFinite> not_finite;
  std::vector<std::uint32_t> behind;  ///< See ranks_behind...
  std::vector<std::uint32_t> silent;  ///< ... and those without any loss line.
  std::vector<RunFinding> findings;
};

Summary summary_of(const Run& run);

/// For people: aligned lines, without line ends.
std::vector<std::string> summary_lines(const Summary& summary, const NodeOf& node_of);

/// For programs: one JSON object; a loss that is no number is null.
std::string summary_json(const Summary& summary, const NodeOf& node_of);

}  // namespace adarun::monitor
