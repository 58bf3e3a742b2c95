// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "monitor/web/log_page.h"
#include "monitor/web/run_registry.h"

namespace adarun::monitor::web {

/// Ranks beyond this many are counted, not listed: those in trouble come first.
inline constexpr std::size_t most_rank_rows = 512;

/// All that a page says of a run beside its curves: facts, findings, ranks, step times, names of quantities.
std::string run_json(const std::string& id, const WatchedRun& run, std::uint64_t version);

/// The jobs that can be looked at, and those that the page begins with.
std::string jobs_json(const RunRegistry& registry);

/// Lines of a log.
std::string log_json(const LogPage& page);

/// {"error": words}.
std::string error_json(const std::string& words);

}  // namespace adarun::monitor::web
