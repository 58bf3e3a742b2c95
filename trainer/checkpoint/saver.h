// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "trainer/base/log_lines.h"
#include "trainer/base/progress.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/file.h"
#include "trainer/checkpoint/training_state.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"
#include "trainer/parallel/split_run.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// Facts about a model that checkpoints record.
Facts model_facts(const Model& model);

/// What checkpoints record about a training of `model` by `world_size` ranks on `samples` samples, without a
/// run id yet: facts that must match on resume, and settings (by option name) that users may change, which is
/// then reported. Learning rate, schedule, number of epochs, precision and device are in neither.
RunIdentity run_identity(const TrainerOptions& options, const Reduction& reduction, const Model& model,
                         std::size_t samples, int world_size);

/// Saves and restores the state of a training (TrainingState) as checkpoints. Where each rank has weights or
/// an optimizer of its own, a checkpoint of another number of ranks is refused.
class Saver {
 public:
  /// `model`: the whole one. `split`: how it is split; null: it is not. `state` is that of this training, the
  /// only one: it knows what the training began with. It and the communicator must outlive this object.
  /// Collective. Throws Error.
  Saver(const TrainerOptions& options, const Reduction& reduction, const Model& model, const Dataset& dataset,
        TrainingState& state, const Learner& learner, adasum::Communicator& communicator,
        const SplitRun* split = nullptr);

  /// Saves the state after step `at`. Changes nothing in the training. Collective. Throws Error.
  void save(const Progress& at);

  /// Call this first. Restores the latest checkpoint, or the one before it if that is damaged; returns
  /// nothing if there is none. Prints notes about it with `print`. Collective. Throws Error, also if the
  /// folder belongs to another run.
  std::optional<Position> begin(const ResumePolicy& policy, const Print& print);

  /// Instead of begin(), for a training that continues from memory with other ranks: `run` has written here.
  void proceed(const std::string& run) { checkpoints_.proceed(run); }

  /// Whether the run has a checkpoint after `steps` steps, one of the two newest. The same on every rank.
  bool has(std::int64_t steps) const { return checkpoints_.has(steps); }

  /// The id of the run, once it has begun.
  const std::string& run() const { return checkpoints_.run(); }

 private:
  TrainingState& state_;
  Checkpoints checkpoints_;
};

}  // namespace adarun::trainer
