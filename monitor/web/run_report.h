// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitor/web/log_page.h"
#include "monitor/web/run_registry.h"
#include "monitor/web/watched_run.h"

namespace adarun::monitor::web {

/// "running"; empty if it is unknown.
std::string_view name_of(ProcessState state);

/// At most so many ranks of a run are told of one by one.
inline constexpr std::size_t most_shown_ranks = 512;

/// These ranks, those in trouble first, each with whether it is.
std::vector<std::pair<std::uint32_t, bool>> shown_ranks(const WatchedRun& run);

/// All that a page shows of a run besides its curves: facts, findings, at most 512 ranks, those in trouble
/// first, step times, names of quantities.
std::string run_json(const std::string& id, const WatchedRun& run, std::uint64_t version);

/// The jobs that can be shown, and those that the page opens at first.
std::string jobs_json(const RunRegistry& registry);

/// Lines of a log.
std::string log_json(const LogPage& page);

/// {"error": words}.
std::string error_json(const std::string& words);

/// All open runs in Prometheus' text format (version 0.0.4), in prometheus.cpp: loss over the ranks and of
/// each of shown_ranks(), ranks by state, steps, step times, throughput, accuracy, findings by kind. The
/// label `run` is the job's id.
std::string prometheus_text(const RunRegistry& registry);

// Curves, in chart.cpp:

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

/// The curve, reduced to at most `slices` slices (never more than 4096) without visible loss: arrays of equal
/// length, null for values that are not finite.
std::string chart_json(const WatchedRun& run, const ChartQuery& query);

/// The loss of every rank at the first printed step at or after `x` (over the run's stride): {"position",
/// "epoch", "step", "ranks": [..], "losses": [..]}; {} if there is none.
std::string ranks_at_json(const WatchedRun& run, ChartAxis axis, double x);

}  // namespace adarun::monitor::web
