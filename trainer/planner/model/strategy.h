// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/planner/model/graph.h"

namespace adarun::planner {

/// Which channels of a tensor a rank holds.
enum class Channels { all, part };

/// How the values of a batch lie on the ranks. Rank r belongs to replica r / parts, which has its range of
/// the samples; it holds all their channels, or range r % parts of them.
struct ActivationLayout {
  std::int64_t replicas = 1;
  std::int64_t parts = 1;
  Channels channels = Channels::all;

  bool operator==(const ActivationLayout&) const = default;
};

/// How one layer runs: `replicas` x `parts` ranks; each replica has its share of the batch, and the ranks of
/// a replica are adjacent. Data parallel is parts = 1. A sum is split by outputs where its inputs are,
/// without a message.
struct Strategy {
  std::int64_t replicas = 1;
  std::int64_t parts = 1;
  LayerSplit split = LayerSplit::none;

  bool operator==(const Strategy&) const = default;
};

ActivationLayout input_layout(const Layer& layer, const Strategy& strategy);
ActivationLayout output_layout(const Strategy& strategy);

/// "data 16", "outputs 4x4", "inputs 1x8", "replicated 2x2" (replicas x parts).
std::string describe(const Strategy& strategy);

/// Every strategy that layer `l` allows on `ranks` ranks: no range of channels is empty, and the channels of
/// images are not split. Data parallel is the first.
std::vector<Strategy> strategies(const ModelGraph& graph, std::size_t l, std::int64_t ranks);

}  // namespace adarun::planner
