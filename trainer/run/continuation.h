// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/base/progress.h"
#include "trainer/callbacks/callback.h"
#include "trainer/checkpoint/file.h"
#include "trainer/checkpoint/training_state.h"

namespace adarun::trainer {

/// The state of a training between two steps, in memory: what a checkpoint of that step holds.
struct Snapshot {
  using Clock = std::chrono::steady_clock;

  CheckpointState state;
  std::int64_t steps = 0;                  ///< From the start of the training.
  int ranks = 1;                           ///< So many took the last of them.
  std::vector<std::vector<float>> values;  ///< As TrainingState::values().
  std::string run;                         ///< The id in its checkpoints; empty: it writes none.
  Clock::time_point saved_at = {};         ///< As Checkpointer::saved_at(), by this rank's clock.
  std::string setup = {};  ///< The options and what it learns from and is measured on, a line each.
};

/// Takes over what the ranks have in memory, and returns where the training continues. Collective. Throws
/// Error if the training has other groups of tensors.
Position proceed(const Snapshot& snapshot, TrainingState& state);

/// What a training of this rank continues from when others have ended: the state after the last step that all
/// ranks could take.
///
/// A step is combined, then voted on, then taken. When a rank ends before the vote, no other has taken the
/// step; when it ends after it, some have, and the rest take their state from one of them. So nothing is
/// lost but a step in which a rank ended, and afterwards all ranks have the same state: that from which a
/// checkpoint of the last step that was taken would continue.
class Continuation {
 public:
  /// `agreed`: called whenever this rank has what the others have.
  explicit Continuation(std::function<void()> agreed = [] {}) : agreed_(std::move(agreed)) {}

  /// The state that the training continues from; nothing at its start.
  const std::optional<Snapshot>& begins_from() const { return snapshot_; }

  /// Steps that have been taken in all.
  std::int64_t steps() const { return snapshot_ ? snapshot_->steps : 0; }

  /// Makes begins_from() that of the rank that is furthest, on all ranks. Collective. If it throws, each rank
  /// still has a whole one: its own, or that of the rank that is furthest.
  void agree(adasum::Communicator& communicator);

  /// The training of one set of ranks: made after its start, it watches over its steps. Its callbacks must
  /// be the first.
  class Watch : public Callback {
   public:
    /// `start`: where the training is. All must outlive it. Collective.
    Watch(Continuation& continuation, TrainingState& state, const Weights& weights,
          adasum::Communicator& communicator, const Position& start);

    /// Returns once all ranks have combined the step that they are in. Collective.
    void vote();

    void step_end(const Progress& progress) override;

    /// Keeps the state after the last step that was taken, for begins_from(). The arguments are members of
    /// Snapshot.
    void keep(const std::string& run, const std::string& setup, Snapshot::Clock::time_point saved_at);

   private:
    std::vector<float> statistics_of_all() const;

    Continuation& continuation_;
    TrainingState& state_;
    const Weights& weights_;
    adasum::Communicator& communicator_;
    Progress taken_;
    std::vector<float> statistics_;  // of all ranks, after the last step that was taken
    std::vector<float> voted_;       // of the step that has been voted on
  };

 private:
  void take_furthest(adasum::Communicator& communicator);

  std::function<void()> agreed_;
  std::optional<Snapshot> snapshot_;
};

}  // namespace adarun::trainer
