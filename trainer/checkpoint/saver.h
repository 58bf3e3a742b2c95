// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trainer/base/log_lines.h"
#include "trainer/base/progress.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options/rules.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// Writes down all that a training goes on from, and puts it back: weights, what the model keeps of the data,
/// what the optimizer remembers, the loss scale, and where it stood.
class Saver {
 public:
  /// `weights`, `learner` and `communicator` outlive it. Collective. Throws Error.
  Saver(const TrainerOptions& options, const Reduction& reduction, const Model& model, const Dataset& dataset,
        Weights& weights, Learner& learner, adasum::Communicator& communicator);

  /// After step `at`. Changes nothing. Collective. Throws Error.
  void save(const Progress& at);

  /// To be called first. Puts the latest back, or the one before it where that is damaged; nothing where
  /// there is none. Says with `print` what there is to say of it. Collective. Throws Error, also where the
  /// folder is not this run's.
  std::optional<Position> begin(const ResumePolicy& policy, const Print& print);

 private:
  std::vector<std::span<float>> values();
  void make_room();
  void gather_buffers();
  void take_buffers();

  Weights& weights_;
  Learner& learner_;
  adasum::Communicator& communicator_;
  int steps_per_epoch_;
  bool scale_is_dynamic_;
  Ownership ownership_;
  std::vector<float> buffers_of_all_;  // while a checkpoint is written or read
  Checkpoints checkpoints_;
};

}  // namespace adarun::trainer
