// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trainer/checkpoint/checkpoints.h"
#include "trainer/rules.h"
#include "trainer/train.h"

namespace adarun::trainer {

/// Writes down all that a training goes on from, and puts it back: weights, what the model keeps of the data,
/// what the optimizer remembers, the loss scale, and where it stood.
class Saver {
 public:
  /// `weights`, `learner` and `peers` outlive it. Collective. Throws Error.
  Saver(const Options& options, const Combination& combination, const Model& model, const Dataset& dataset,
        Weights& weights, Learner& learner, adasum::Peers& peers);

  /// After step `at`. What the model keeps of the data becomes the mean over the ranks. Collective. Throws
  /// Error.
  void save(const Progress& at);

  /// Puts the latest back; nothing where there is none. Collective. Throws Error.
  std::optional<Position> restore();

 private:
  std::vector<std::span<float>> values();

  Weights& weights_;
  Learner& learner_;
  adasum::Peers& peers_;
  int steps_per_epoch_;
  Checkpoints checkpoints_;
};

}  // namespace adarun::trainer
