// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "monitor/series/decimate.h"
#include "monitor/web/watched_run.h"

namespace adarun::monitor::web {

enum class ChartAxis { step, time };

/// Which curve of a run is wanted.
struct ChartQuery {
  ChartAxis axis = ChartAxis::step;
  double from = 0;  ///< Positions, or seconds from the beginning.
  double to = std::numeric_limits<double>::infinity();
  std::size_t slices = 600;
  std::optional<std::uint32_t> rank;  ///< Of one rank alone; else the median over all, and its band.
  std::string quantity;               ///< Instead of the loss: one of WatchedRun::quantities.
};

inline constexpr std::size_t most_slices = 4096;

/// The curve, with nothing of it lost that would be seen.
std::vector<Slice> chart(const WatchedRun& run, const ChartQuery& query);

/// The same as JSON: arrays of one length, null where there is no number.
std::string chart_json(const WatchedRun& run, const ChartQuery& query);

/// The loss of every rank at the first printed step at or behind `x` (over the run's stride): {"position",
/// "epoch", "step", "ranks": [..], "losses": [..]}; {} where there is none.
std::string ranks_at_json(const WatchedRun& run, ChartAxis axis, double x);

}  // namespace adarun::monitor::web
