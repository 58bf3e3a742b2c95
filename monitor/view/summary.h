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

/// The losses of a run's validations, of the ranks that print them.
struct ValidationSummary {
  std::uint64_t count = 0;
  MergedPoint first;
  MergedPoint last;
  std::optional<MergedPoint> best;  ///< The one with the lowest median.
};

/// The main facts about a run, for a few lines of text.
struct Summary {
  std::uint64_t ranks = 0;
  std::uint64_t ranks_with_loss = 0;
  std::uint64_t ranks_with_time = 0;  ///< Ranks that have printed a time per step.
  std::uint64_t steps = 0;            ///< Printed steps, over all ranks together (each counted once).
  std::optional<MergedPoint> first;
  std::optional<MergedPoint> last;  ///< Over the ranks that have reached it.
  std::optional<MergedPoint> now;   ///< The latest step that most ranks have printed: see current_point.
  std::optional<MergedPoint> best;  ///< The one with the lowest median.
  std::optional<ValidationSummary> validation;
  std::uint64_t stride = 1;  ///< Positions per point; above 1, first and last are means.
  std::optional<double> images_per_s;
  std::optional<double> accuracy;
  std::optional<double> step_ms;  ///< As printed last, by the slowest rank.
  std::optional<FirstNotFinite> not_finite;
  std::vector<std::uint32_t> ended;     ///< See ended_ranks.
  std::vector<std::uint32_t> behind;    ///< See ranks_behind...
  std::vector<std::uint32_t> silent;    ///< ... and those without any loss line.
  std::vector<std::uint32_t> mixed;     ///< See seems_several.
  std::vector<std::uint32_t> left_out;  ///< See Run::is_placeholder.
  std::vector<RunFinding> findings;
  std::vector<RunAttempt> attempts;  ///< At least one; what is above of ranks is of the last.
};

Summary summary_of(const Run& run);

/// For people: aligned lines, without line ends.
std::vector<std::string> summary_lines(const Summary& summary, const NodeOf& node_of);

/// For programs: one JSON object; a loss that is not finite is null.
std::string summary_json(const Summary& summary, const NodeOf& node_of);

}  // namespace adarun::monitor
