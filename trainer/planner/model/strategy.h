// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/planner/model/graph.h"

namespace adarun::planner {

/// The numbers begin <= n < end.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool operator==(const IndexRange&) const = default;
};

/// What is in both; of size 0 if nothing is.
inline IndexRange common(const IndexRange& a, const IndexRange& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Part `index` of `count` things in `parts` parts: the first count % parts parts have one thing more.
inline IndexRange part_of(std::int64_t count, std::int64_t parts, std::int64_t index) {
  const std::int64_t small = count / parts;
  const std::int64_t larger = count % parts;
  const std::int64_t begin = index * small + std::min(index, larger);
  return {begin, begin + small + (index < larger ? 1 : 0)};
}

/// The size of the largest part: that of the first.
inline std::int64_t largest_part(std::int64_t count, std::int64_t parts) {
  return part_of(count, parts, 0).size();
}

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
