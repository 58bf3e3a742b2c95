// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trainer/planner/costs/costs.h"
#include "trainer/planner/model/graph.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::planner {

/// How a layer runs, and what it costs.
struct PlannedLayer {
  std::string name;
  Strategy strategy;
  LayerCost cost = {};
  Communication change = {};  ///< Of the layouts of its inputs, forward and backward.

  double seconds() const { return cost.seconds() + change.seconds; }
};

/// How a model runs on the ranks of a world.
struct ParallelPlan {
  std::string model;
  std::int64_t ranks = 1;
  std::int64_t batch = 1;  ///< Samples of each rank.
  std::vector<PlannedLayer> layers;

  double seconds() const;  ///< Of a step.
  /// Of the rank with most: weights, gradients, optimizer, activations, and the largest workspace.
  double memory_bytes() const;
  double workspace_bytes() const;  ///< The largest of a layer.
};

enum class Search {
  dp,          ///< The best, by dynamic programming.
  recursive,   ///< Starts with data parallel; in each round each layer may double its parts. Not always the
               ///< best.
  exhaustive,  ///< The best, by trying all; for small models.
};

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// The fastest plan that needs no more than `most_bytes` of memory on any rank. Throws Error if none does, or
/// if Search::exhaustive would have to try more than 10^8.
ParallelPlan make_plan(const ModelGraph& graph, const ClusterSetting& setting, Search search = Search::dp,
                       double most_bytes = no_limit);

/// The plan with these strategies, one for each layer.
ParallelPlan plan_of(const ModelGraph& graph, const ClusterSetting& setting,
                     const std::vector<Strategy>& chosen);

/// Every layer data parallel.
ParallelPlan data_parallel(const ModelGraph& graph, const ClusterSetting& setting);

}  // namespace adarun::planner
