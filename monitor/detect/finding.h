// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// What can be wrong with a run.
enum class Fault {
  not_finite,  ///< A loss is nan or infinite.
  gradient,    ///< Gradients held nan or infinity, which ended the training.
  stopped,     ///< A rank no longer steps while the others do.
  straggler,   ///< A rank's steps take longer than the others'.
  divergence,  ///< A rank's loss stays away from the others'.
  same_data,   ///< Ranks print the same losses: they read the same shard.
  spike,       ///< The loss jumps up and comes back.
  rise,        ///< The loss was lower once and has risen since, as where a warm-up ends too high.
  plateau,     ///< The loss has hardly fallen for long, and is still high.
};

/// One or two words, also the name in JSON.
std::string_view name_of(Fault fault);

/// One thing that is wrong, with the evidence.
struct RunFinding {
  Fault fault = Fault::not_finite;
  std::optional<std::uint32_t> rank;  ///< None where it is the run's.
  std::uint64_t position = 0;         ///< Where it shows, and that place as printed.
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::string evidence;      ///< One line, for people.
  std::int64_t time_ms = 0;  ///< When that place was seen, since the Unix epoch; 0 where that is not known.
};

/// What is wrong with a run as far as its losses tell; the order is that of `Fault`. Each rule is in the file
/// of its group: docs/monitor.md has them in words. A short run has none: rules wait for enough points.
std::vector<RunFinding> findings(const Run& run);

/// The node of a rank; empty where it is not known.
using NodeOf = std::function<std::string(std::uint32_t rank)>;

/// "rank 3 on node1, epoch 1 step 120: its loss is nan or inf (2026-11-21 10:02:11)", without the name of the
/// fault, and with what is known of node and time.
std::string finding_text(const RunFinding& finding, const NodeOf& node_of);

}  // namespace adarun::monitor
