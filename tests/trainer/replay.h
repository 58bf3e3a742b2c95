// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/adasum/slow_tree.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/loader.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer::replay {

using adasum::slow::Stored;
using adasum::slow::Vector;

/// The world: `count` ranks, of which groups of `group_size` take their mean first.
struct Ranks {
  int count = 1;
  int group_size = 1;
};

/// The run of a whole world in one process: the gradients of every rank are computed one rank after the other
/// and combined with the slow tree, and the optimizer's formula is applied. It uses neither the engine nor
/// Communicator nor our optimizers. Stored::as_double keeps everything but the gradients in double.
/// Stored::as_float computes in double too, and rounds what the run keeps in float: a sum or a product of two
/// floats, rounded from double, is their sum or product in float, so that the weights are those of the run to
/// the last bit.
class World {
 public:
  World(const Model& model, const Dataset& dataset, const TrainerOptions& options, Ranks ranks, Stored stored)
      : model_(model),
        options_(options),
        group_size_(static_cast<std::size_t>(ranks.group_size)),
        stored_(stored),
        tensors_(model, options.seed),
        weights_(tensors_.values().begin(), tensors_.values().end()) {
    for (int rank = 0; rank < ranks.count; ++rank) {
      loaders_.emplace_back(
          dataset, Shard{rank, ranks.count},
          LoaderOptions{static_cast<std::size_t>(options.batch_size), model.shape.side, options.seed});
      loaders_.back().start(1);
    }
    velocities_.assign(on_deltas() ? loaders_.size() / group_size_ : 1, Vector(weights_.size()));
  }

  /// Continues from these weights. The state of the optimizers is kept.
  void go_on_from(std::span<const float> weights) { weights_.assign(weights.begin(), weights.end()); }

  /// The weights after the next step of epoch 1.
  const Vector& next() {
    std::vector<Vector> inputs = adasum::slow::group_means(gradients(), group_size_, stored_);
    if (!on_deltas()) {
      combined_ = combine(inputs);
      weights_ = stepped(velocities_.front(), combined_);
      return weights_;
    }
    for (std::size_t group = 0; group < inputs.size(); ++group) {
      inputs[group] = minus(weights_, stepped(velocities_[group], inputs[group]));
    }
    combined_ = combine(inputs);
    weights_ = minus(weights_, combined_);
    return weights_;
  }

  /// The combined gradients, or deltas, of all ranks in the last step.
  const Vector& combined() const { return combined_; }

  /// Elements of each tensor.
  std::span<const std::int64_t> counts() const { return tensors_.counts(); }

 private:
  bool on_deltas() const { return options_.adasum_on == AdasumOn::delta; }
  double keep(double value) const { return adasum::slow::keep(value, stored_); }

  std::vector<Vector> gradients() {
    std::ranges::transform(weights_, tensors_.values().begin(),
                           [](double w) { return static_cast<float>(w); });
    std::vector<Vector> gradients;
    for (Loader& loader : loaders_) {
      std::ranges::fill(tensors_.gradients(), 0.0F);
      add_gradients(model_, tensors_, loader.next(), {options_.label_smoothing});
      gradients.emplace_back(tensors_.gradients().begin(), tensors_.gradients().end());
    }
    return gradients;
  }

  /// Of all groups.
  Vector combine(const std::vector<Vector>& inputs) const {
    const std::vector<std::int64_t> counts(tensors_.counts().begin(), tensors_.counts().end());
    return adasum::slow::tree(inputs, counts, stored_);
  }

  /// v = momentum v + g, and then w - lr v.
  Vector stepped(Vector& velocity, const Vector& gradient) const {
    Vector result = weights_;
    for (std::size_t i = 0; i < result.size(); ++i) {
      velocity[i] = keep(keep(double{options_.optimizer.momentum} * velocity[i]) + gradient[i]);
      result[i] = keep(weights_[i] - keep(double{options_.optimizer.learning_rate} * velocity[i]));
    }
    return result;
  }

  Vector minus(const Vector& a, const Vector& b) const {
    Vector result = a;
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = keep(a[i] - b[i]);
    return result;
  }

  const Model& model_;
  const TrainerOptions& options_;
  std::size_t group_size_;
  Stored stored_;
  Weights tensors_;  // what the passes are computed on, a copy of weights_ in float
  std::vector<Loader> loaders_;
  Vector weights_;
  Vector combined_;
  std::vector<Vector> velocities_;
};

}  // namespace adarun::trainer::replay
