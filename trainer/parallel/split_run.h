// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/data/shard.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/parallel/split_layers.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// One rank's part of a model that runs by a plan.
class SplitRun {
 public:
  /// `strategies`: one for each layer of the graph of `whole`, for the ranks of `world`
  /// (planner::strategies_for()). Collective over `world`, which must outlive it.
  SplitRun(Model whole, std::vector<planner::Strategy> strategies, adasum::Communicator& world);
  SplitRun(const SplitRun&) = delete;
  SplitRun& operator=(const SplitRun&) = delete;

  /// With the tensors as this rank holds them.
  const Model& model() const { return model_; }
  const Model& whole() const { return whole_; }
  const std::vector<planner::Strategy>& strategies() const { return strategies_; }
  RankGroups& groups() { return groups_; }

  /// The ranks of a replica of the first layer take the same images: so many replicas, and times as many
  /// images.
  Shard shard() const;
  std::int64_t image_ranks() const { return strategies_.front().parts; }

  /// The weights of the whole model, drawn from `seed`, as far as this rank holds them. One whole tensor is
  /// in memory at a time.
  void draw(std::uint64_t seed, Weights& weights) const;

  /// Replaces statistics of the data by their mean over the replicas of their layer; collective.
  void average_buffers(Weights& weights);

  /// For the layers of a pass.
  LayerBoundary& boundary() { return layers_; }

  /// Labels (batch) of the images of this rank, as those of its scores; collective.
  torch::Tensor labels(const torch::Tensor& of_images);

  /// The loss of `scores`, whose labels are labels(); collective.
  torch::Tensor loss(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing);

  /// The number of samples whose highest score is that of their label: counted by one rank of each replica, 0
  /// on the others; collective.
  std::int64_t count_correct(const torch::Tensor& scores, const torch::Tensor& labels);

 private:
  std::optional<ScoreParts> score_parts();

  Model whole_;
  std::vector<planner::Strategy> strategies_;
  RankGroups groups_;
  Model model_;
  SplitLayers layers_;
};

}  // namespace adarun::trainer
