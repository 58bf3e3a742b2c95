// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "monitor/web/log_page.h"
#include "monitor/web/run_registry.h"

namespace adarun::monitor::web {

/// At most this many ranks are listed, those in trouble first; the others are only counted.
inline constexpr std::size_t most_rank_rows = 512;

/// All that a page shows of a run besides its curves: facts, findings, ranks, step times, names of
/// quantities.
std::string run_json(const std::string& id, const WatchedRun& run, std::uint64_t version);

/// The jobs that can be shown, and those that the page opens at first.
std::string jobs_json(const RunRegistry& registry);

/// Lines of a log.
std::string log_json(const LogPage& page);

/// {"error": words}.
std::string error_json(const std::string& words);

/// All open runs in Prometheus' text format (version 0.0.4): loss over the ranks and of each rank, steps,
/// step times, throughput, accuracy, findings by kind. The label `run` is the job's id.
std::string prometheus_text(const RunRegistry& registry);

}  // namespace adarun::monitor::web
