// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "adasum/peers.h"
#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// All ranks were told to stop, and have written a checkpoint.
struct Stopped {
  Progress at;
};

/// When checkpoints are written.
struct CheckpointTimes {
  int steps = 0;       ///< After each multiple of it, over all epochs; 0: never because of their number.
  double minutes = 0;  ///< Every so many; 0: never because of time.
};

/// Calls for a checkpoint every so many steps or minutes, and when some rank is asked to stop. On steps all
/// ranks agree without a word; about time and stopping they talk every half second or so, and do what rank
/// 0's clock and any rank's signal say.
class Checkpointer : public Callback {
 public:
  /// Whether no rank is ahead of the others, so that what they have makes one checkpoint.
  using IsTogether = std::function<bool()>;
  /// Writes one. Collective.
  using Save = std::function<void(const Progress& at)>;
  /// Whether this rank is asked to stop.
  using StopRequested = std::function<bool()>;

  Checkpointer(adasum::Peers& peers, const CheckpointTimes& times, IsTogether is_together, Save save,
               StopRequested stop_requested);

  /// Throws Stopped.
  void step_end(const Progress& progress) override;

 private:
  using Clock = std::chrono::steady_clock;

  void talk();

  adasum::Peers& peers_;
  CheckpointTimes times_;
  IsTogether is_together_;
  Save save_;
  StopRequested stop_requested_;
  int since_talked_ = 0;  // steps
  int next_talk_ = 1;     // steps from one talk to the next
  bool due_ = false;
  bool stops_ = false;
  Clock::time_point saved_ = Clock::now();
  Clock::time_point talked_ = Clock::now();
};

}  // namespace adarun::trainer
