// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/base/progress.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/parallel/split_run.h"
#include "trainer/parallel/whole_tensors.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// With deltas, each rank's optimizer has its own state; a sharded optimizer has the state of its own
/// tensors; and ranks that combine nothing have different weights. One rank of `ranks` has what all have.
Ownership ownership_of(const TrainerOptions& options, const Reduction& reduction, const SplitRun* split,
                       int ranks);

/// What a training consists of between two steps: weights, statistics of the data (Weights::buffers()),
/// optimizer state, loss scale and position. That of a model whose layers are split is gathered on rank 0, so
/// that it is the state of the whole model, from which trainings by any plan continue.
///
/// A state of another number of ranks continues within its epoch at the first sample of the epoch's order
/// that is not used. Each rank then begins with the mean of all ranks' statistics.
class TrainingState {
 public:
  /// `split`: how the model's layers are split; null: they are not. All must outlive it. Collective.
  TrainingState(const TrainerOptions& options, const Reduction& reduction, const Dataset& dataset,
                Weights& weights, Learner& learner, adasum::Communicator& communicator, SplitRun* split);

  /// Its numbers, from gather() or make_room() to clear(); those that rank 0 alone holds are empty on others.
  std::vector<std::span<float>> values();

  /// Brings values() up to date. Collective.
  void gather();

  /// Makes values() those of a state of `ranks` ranks, to be filled. Of a state that all ranks share, rank 0
  /// alone has room for statistics, the second of the values.
  void make_room(int ranks);

  /// Takes over what values() hold, of a state that `ranks` ranks reached after `steps` steps in all, and
  /// returns where it continues. Collective. Throws Error if it has other groups of tensors.
  Position restore(const CheckpointState& state, std::int64_t steps, int ranks);

  /// Frees what values() need.
  void clear();

  /// The rest of the state after step `at`.
  CheckpointState after(const Progress& at) const;

  /// The statistics of all ranks, one after another, as values() have them. A rank that has them may set them
  /// here.
  std::vector<float>& statistics_of_all() { return buffers_of_all_; }

 private:
  std::span<float> whole_value(std::size_t index);
  void average_buffers(int ranks);
  Position position_of(const CheckpointState& state, std::int64_t steps, int ranks) const;
  void take();

  Weights& weights_;
  Learner& learner_;
  adasum::Communicator& communicator_;
  std::size_t samples_;
  int shards_;              // of this run
  std::size_t rank_batch_;  // of each rank
  std::size_t batch_size_;  // of each shard, which several ranks may take
  bool scale_is_dynamic_;
  Ownership ownership_;
  std::optional<WholeTensors> whole_;             // of a model that is split
  Position begun_;                                // what this run has begun with
  std::vector<float> buffers_of_all_;             // from gather() or make_room() to clear()
  std::vector<std::vector<float>> whole_values_;  // weights, then the optimizer's numbers; on rank 0
};

}  // namespace adarun::trainer
