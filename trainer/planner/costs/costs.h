// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainer/planner/costs/links.h"
#include "trainer/planner/model/graph.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::planner {

/// How gradients are combined over replicas: by AdaSum, in halves, level by level; or their mean by MPI, in a
/// ring over the ranks.
enum class GradientReduce { adasum, mean };

/// What a step runs on, and how.
struct ClusterSetting {
  std::int64_t ranks = 1;
  std::int64_t batch = 32;           ///< Samples of each rank; the whole batch has `ranks` times as many.
  std::int64_t passes = 1;           ///< In which a batch goes through the model, one after the other.
  std::int64_t optimizer_slots = 1;  ///< Numbers that the optimizer keeps of each weight: momentum 1, Adam 2.
  double operations_per_s = 1e10;    ///< Of a rank, for layers and weights without measured times.
  LinkLevels links;
  GradientReduce reduce = GradientReduce::adasum;
  /// What a rank needs for a while anyway, when no layer has its workspace.
  double least_workspace_bytes = 0;

  std::int64_t samples() const { return ranks * batch; }
};

/// Something that ranks send to each other: what a rank with most of it sends, and the time of it.
struct Communication {
  Traffic traffic;
  double seconds = 0;

  Communication& operator+=(const Communication& other);
};

/// What a layer costs in one step, without changes of layout.
struct LayerCost {
  double compute_s = 0;     ///< Of the samples, forward and backward.
  double update_s = 0;      ///< Of the weights: the optimizer, and AdaSum's dot products and combination.
  Communication outputs;    ///< Sum of the outputs, where inputs are split; of class scores that are split,
                            ///< what their loss sends.
  Communication inputs;     ///< Sum of the gradients of the inputs, where outputs are split.
  Communication gradients;  ///< Gradients of the weights, over replicas.
  double state_bytes = 0;   ///< Weights, gradients, optimizer.
  double kept_bytes = 0;    ///< Activations kept for the backward pass, of one of the passes.
  double workspace_bytes = 0;  ///< Gradients on their way to where they are summed, while this layer goes
                               ///< backward.

  double seconds() const {
    return compute_s + update_s + outputs.seconds + inputs.seconds + gradients.seconds;
  }
  /// Beside the workspace, of which only one layer has its own at a time.
  double memory_bytes() const { return state_bytes + kept_bytes; }
};

LayerCost cost(const ModelGraph& graph, std::size_t l, const Strategy& strategy,
               const ClusterSetting& setting);

/// Of the change of layout between layer `l` and one that takes its result, forward and backward.
Communication change_cost(const ModelGraph& graph, std::size_t l, const ActivationLayout& from,
                          const ActivationLayout& to, const ClusterSetting& setting);

}  // namespace adarun::planner
