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
  gradient,    ///< Gradients contained nan or infinity, which ended the training.
  stopped,     ///< A rank prints no more steps while the others do.
  straggler,   ///< A rank's steps take longer than the others'.
  divergence,  ///< A rank's loss stays apart from the others'.
  same_data,   ///< Ranks print the same losses: they read the same shard.
  spike,       ///< The loss jumps up and returns.
  rise,        ///< The loss has risen since its minimum, for example if the learning rate rises too far.
  plateau,     ///< The loss has hardly fallen for a long time and is still high.
};

/// One or two words, also the name in JSON.
std::string_view name_of(Fault fault);

/// One thing that is wrong, with the evidence.
struct RunFinding {
  Fault fault = Fault::not_finite;
  std::optional<std::uint32_t> rank;  ///< None if it concerns the whole run.
  std::uint64_t position = 0;         ///< Where it appears; epoch and step are that place as printed.
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::string evidence;      ///< One line, for people.
  std::int64_t time_ms = 0;  ///< When that place was read, since the Unix epoch; 0 if not known.
  std::uint64_t begin = 0;   ///< Of a spike: where it begins; it appears where it is highest so far.
};

/// What is wrong with a run according to its losses, in the order of `Fault`. docs/monitor.md describes each
/// rule; rank_rules.cpp and run_rules.cpp implement them. A short run has no findings: rules need enough
/// points.
std::vector<RunFinding> findings(const Run& run);

/// Appends to `found` what the rules for single ranks find.
void find_faults_of_ranks(const Run& run, std::vector<RunFinding>& found);
/// Appends to `found` what the rules for the whole run find.
void find_faults_of_run(const Run& run, std::vector<RunFinding>& found);

/// A smaller difference of losses means nothing: 5 % of the loss at the beginning, or of that of the whole
/// run where it is higher, and at least 0.01. A loss that has fallen to where few of its printed digits are
/// left, or that lies around zero from the beginning, differs from one line to the next by more than any
/// multiple of its spread, which may be 0.
double least_difference(const Run& run);

/// The node of a rank; empty if not known.
using NodeOf = std::function<std::string(std::uint32_t rank)>;

/// "rank 3 on node1, epoch 1 step 120: its loss is nan or inf (2026-11-21 10:02:11)": without the name of the
/// fault; node and time only where known.
std::string finding_text(const RunFinding& finding, const NodeOf& node_of);

}  // namespace adarun::monitor
