// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
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
        tensors_{Weights(model, options.seed), Weights(model, options.seed)},
        weights_(tensors_[0].values().begin(), tensors_[0].values().end()) {
    for (int rank = 0; rank < ranks.count; ++rank) {
      loaders_.emplace_back(
          dataset, Shard{rank, ranks.count},
          LoaderOptions{static_cast<std::size_t>(options.batch_size), model.shape.side, options.seed});
      loaders_.back().start(1);
    }
    velocities_.assign(on_deltas() ? loaders_.size() / group_size_ : 1, Vector(weights_.size()));
  }

  /// Continues from these weights. The state of the optimizers is kept.
  void continue_from(std::span<const float> weights) { weights_.assign(weights.begin(), weights.end()); }

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
  std::span<const std::int64_t> counts() const { return tensors_[0].counts(); }

 private:
  bool on_deltas() const { return options_.adasum_on == AdasumOn::delta; }
  double keep(double value) const { return adasum::slow::keep(value, stored_); }

  /// Of every rank. Two threads compute them, each with weights of its own.
  std::vector<Vector> gradients() {
    std::vector<Vector> gradients(loaders_.size());
    const auto of_every_second_rank = [&](std::size_t first) {
      at::set_num_threads(1);  // Of libtorch's own, which it counts for each thread.
      Weights& tensors = tensors_[first];
      std::ranges::transform(weights_, tensors.values().begin(),
                             [](double w) { return static_cast<float>(w); });
      for (std::size_t rank = first; rank < loaders_.size(); rank += tensors_.size()) {
        std::ranges::fill(tensors.gradients(), 0.0F);
        add_gradients(model_, tensors, loaders_[rank].next(), {options_.label_smoothing});
        gradients[rank].assign(tensors.gradients().begin(), tensors.gradients().end());
      }
    };
    std::future<void> others = std::async(std::launch::async, of_every_second_rank, 1);
    of_every_second_rank(0);
    others.get();
    return gradients;
  }

  /// Of all groups.
  Vector combine(const std::vector<Vector>& inputs) const {
    const std::vector<std::int64_t> counts(this->counts().begin(), this->counts().end());
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
  std::array<Weights, 2> tensors_;  // what the passes are computed on, copies of weights_ in float
  std::vector<Loader> loaders_;
  Vector weights_;
  Vector combined_;
  std::vector<Vector> velocities_;
};

}  // namespace adarun::trainer::replay
