// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/data/shard.h"
#include "trainer/models/layers.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/parallel/exchange.h"
#include "trainer/planner/model/graph.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// The communicators of a plan, for one rank.
class RankGroups {
 public:
  /// Collective over `world`, which must outlive it.
  RankGroups(adasum::Communicator& world, const planner::ModelGraph& graph,
             const std::vector<planner::Strategy>& strategies);

  adasum::Communicator& world() { return world_; }
  std::int64_t rank() const { return world_.rank(); }

  /// The ranks of this one's replica where layers have `parts` parts, in order of parts; or those between
  /// which a change from one number of parts to another moves values (`parts` is then their least common
  /// multiple).
  adasum::Communicator& adjacent(std::int64_t parts) { return *adjacent_.at(parts); }

  /// The ranks that hold the same parts as this one where layers have `parts` parts, in order of replicas.
  adasum::Communicator& replicas(std::int64_t parts) { return parts == 1 ? world_ : *replicas_.at(parts); }

 private:
  using Communicators = std::map<std::int64_t, std::unique_ptr<adasum::Communicator>>;

  adasum::Communicator& world_;
  Communicators adjacent_;
  Communicators replicas_;
};

/// One rank's part of a model that runs by a plan.
///
/// Between the layers of a pass it sends what split layers need. Where ranks hold all channels, each of them
/// has the whole gradient of these values; a gradient is that of the mean loss of the samples of the rank's
/// own replica. So:
///   layout changes       forward: the values move; backward: their gradients move back, times the
///                        replicas of the first layout / those of the second
///   outputs are split    backward: the gradients of the inputs are summed over the parts
///   inputs are split     forward: the outputs are summed over the parts
/// After Shoeybi et al., "Megatron-LM", 2019 (its f and g); changes between unlike layouts as in OptCNN.
class SplitRun : private LayerBoundary {
 public:
  /// A linear function of tensors and its transpose.
  struct LinearMap {
    std::function<torch::Tensor(const torch::Tensor&)> forward;
    std::function<torch::Tensor(const torch::Tensor&)> backward;
  };

  /// `strategies`: one for each layer of the graph of `whole`, for the ranks of `world`
  /// (planner::strategies_for()). Collective over `world`, which must outlive it. It must outlive the
  /// backward passes of computations with it.
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
  LayerBoundary& boundary() { return *this; }

  /// Labels (batch) of the images of this rank, as those of its scores; collective.
  torch::Tensor labels(const torch::Tensor& of_images);

  /// The loss of `scores`, whose labels are labels(); collective.
  torch::Tensor loss(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing);

  /// The number of samples whose highest score is that of their label: counted by one rank of each replica, 0
  /// on the others; collective.
  std::int64_t count_correct(const torch::Tensor& scores, const torch::Tensor& labels);

 private:
  torch::Tensor input(std::size_t layer, const Activation& x) override;
  bool sums(std::size_t layer) const override;
  torch::Tensor sum(const torch::Tensor& output, std::size_t layer) override;

  LinearMap change_map(const LayoutChange& change);
  std::optional<ScoreParts> score_parts();

  Model whole_;
  std::vector<planner::Strategy> strategies_;
  RankGroups groups_;
  Model model_;
  std::map<std::pair<std::size_t, std::size_t>, LinearMap>
      changes_;                           // of (source, layer), where layouts differ
  std::vector<LinearMap> gradient_sums_;  // of each layer
  std::vector<LinearMap> output_sums_;
};

}  // namespace adarun::trainer
