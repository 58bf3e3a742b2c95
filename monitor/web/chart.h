// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "monitor/series/series.h"
#include "monitor/web/watched_run.h"

namespace adarun::monitor::web {

enum class ChartAxis { step, time };

/// Which curve of a run to return.
struct ChartQuery {
  ChartAxis axis = ChartAxis::step;
  double from = 0;  ///< Positions, or seconds since the beginning.
  double to = std::numeric_limits<double>::infinity();
  std::size_t slices = 600;
  std::optional<std::uint32_t> rank;  ///< One rank; if none, the median over all ranks and their band.
  std::string quantity;               ///< If not empty, one of quantity_names instead of the loss.
};

/// The curves of a run besides the loss: the loss of its validations ("validation.loss") if there are any,
/// then WatchedRun::quantities.
std::vector<std::string> quantity_names(const WatchedRun& run);

inline constexpr std::size_t most_slices = 4096;

/// The curve, reduced to at most `slices` slices without visible loss.
std::vector<Slice> chart(const WatchedRun& run, const ChartQuery& query);

/// The same as JSON: arrays of equal length, null for values that are not finite.
std::string chart_json(const WatchedRun& run, const ChartQuery& query);

/// The loss of every rank at the first printed step at or after `x` (over the run's stride): {"position",
/// "epoch", "step", "ranks": [..], "losses": [..]}; {} if there is none.
std::string ranks_at_json(const WatchedRun& run, ChartAxis axis, double x);

}  // namespace adarun::monitor::web
