// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tests/adasum/slow_tree.h"
#include "trainer/data/dataset.h"
#include "trainer/data/loader.h"
#include "trainer/models/weights.h"
#include "trainer/options.h"
#include "trainer/passes.h"

namespace adarun::trainer::replay {

/// The run of a whole world in one process: the gradients of every rank, one rank after the other, combined
/// with the slow tree, and the optimizer's formula in double. Nothing of the engine, of Peers or of our
/// optimizers takes part.
class World {
 public:
  World(const Model& model, const Dataset& dataset, const Options& options, int world_size, int group_size)
      : model_(model), options_(options), group_size_(group_size), weights_(model, options.seed) {
    for (int rank = 0; rank < world_size; ++rank) {
      loaders_.emplace_back(dataset, Shard{rank, world_size}, static_cast<std::size_t>(options.batch_size),
                            model.side, options.seed);
      loaders_.back().start(1);
    }
    exact_.assign(weights_.values().begin(), weights_.values().end());
    const std::size_t optimizers = options.adasum_on == AdasumOn::delta ? loaders_.size() : 1;
    velocities_.assign(optimizers, adasum::slow::Vector(exact_.size()));
  }

  /// The weights after step `step` of epoch 1; steps come one after the other, from 1.
  std::span<const float> after(int step) {
    std::vector<adasum::slow::Vector> gradients;
    for (Loader& loader : loaders_) {
      compute_gradients(model_, weights_, loader.batch(step), options_.label_smoothing);
      gradients.emplace_back(weights_.gradients().begin(), weights_.gradients().end());
    }
    move(options_.adasum_on == AdasumOn::delta ? combine(moves(gradients))
                                               : moves({combine(gradients)}).front());
    return weights_.values();
  }

 private:
  adasum::slow::Vector combine(const std::vector<adasum::slow::Vector>& inputs) const {
    const std::vector<std::int64_t> counts(weights_.counts().begin(), weights_.counts().end());
    return adasum::slow::tree(adasum::slow::group_means(inputs, static_cast<std::size_t>(group_size_)),
                              counts);
  }

  /// lr * v of each optimizer, v = momentum * v + g.
  std::vector<adasum::slow::Vector> moves(const std::vector<adasum::slow::Vector>& gradients) {
    std::vector<adasum::slow::Vector> moves = gradients;
    for (std::size_t o = 0; o < gradients.size(); ++o) {
      for (std::size_t i = 0; i < exact_.size(); ++i) {
        double& velocity = velocities_[o][i];
        velocity = double{options_.optimizer.momentum} * velocity + gradients[o][i];
        moves[o][i] = double{options_.optimizer.learning_rate} * velocity;
      }
    }
    return moves;
  }

  void move(const adasum::slow::Vector& by) {
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      exact_[i] -= by[i];
      weights_.values()[i] = static_cast<float>(exact_[i]);
    }
  }

  const Model& model_;
  const Options& options_;
  int group_size_;
  Weights weights_;
  std::vector<Loader> loaders_;
  adasum::slow::Vector exact_;
  std::vector<adasum::slow::Vector> velocities_;
};

}  // namespace adarun::trainer::replay
