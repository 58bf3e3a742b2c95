// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
#include "trainer/parallel/split_run.h"
#include "trainer/parallel/whole_tensors.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// What an epoch consists of.
struct EpochSize {
  std::size_t samples = 0;
  int shards = 1;              ///< Of this run.
  std::size_t batch_size = 1;  ///< Of each shard.
  std::size_t rank_batch = 1;  ///< Of each rank, of which some may take one shard.
};

/// Saves and restores the state of a training: weights, statistics of the data (Weights::buffers()),
/// optimizer state, loss scale and position. That of a model whose layers are split is gathered on rank 0, so
/// that its checkpoints are those of the whole model, and trainings by any plan resume from them.
///
/// A checkpoint of another number of ranks is resumed within its epoch at the first sample of the epoch's
/// order that is not used. Each rank then begins with the mean of all ranks' statistics. Where each rank has
/// weights or an optimizer of its own, it is refused.
class Saver {
 public:
  /// `model`: the whole one. `split`: how it is split; null: it is not. All but `model` must outlive it.
  /// Collective. Throws Error.
  Saver(const TrainerOptions& options, const Reduction& reduction, const Model& model, const Dataset& dataset,
        Weights& weights, Learner& learner, adasum::Communicator& communicator, SplitRun* split = nullptr);

  /// Saves the state after step `at`. Changes nothing in the training. Collective. Throws Error.
  void save(const Progress& at);

  /// Call this first. Restores the latest checkpoint, or the one before it if that is damaged; returns
  /// nothing if there is none. Prints notes about it with `print`. Collective. Throws Error, also if the
  /// folder belongs to another run.
  std::optional<Position> begin(const ResumePolicy& policy, const Print& print);

 private:
  std::vector<std::span<float>> values();
  std::span<float> whole_value(std::size_t index);
  void make_room(int ranks);
  void average_buffers(int ranks);
  Position position_of(const LoadedCheckpoint& loaded) const;
  void gather();
  void take();
  void clear();

  Weights& weights_;
  Learner& learner_;
  adasum::Communicator& communicator_;
  EpochSize epoch_;
  bool scale_is_dynamic_;
  Ownership ownership_;
  std::optional<WholeTensors> whole_;  // of a model that is split
  Position begun_;                     // what this run has begun with
  // Only while a checkpoint is written or read:
  std::vector<float> buffers_of_all_;
  std::vector<std::vector<float>> whole_values_;  // weights, then the optimizer's numbers; on rank 0
  Checkpoints checkpoints_;
};

}  // namespace adarun::trainer
