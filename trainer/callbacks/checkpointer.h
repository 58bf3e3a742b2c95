// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "adasum/communicators/communicator.h"
#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// All ranks were told to stop, and have written a checkpoint.
struct Stopped {
  Progress at;
};

/// From here on SIGTERM does not end this process: stop_requested() tells of it.
void catch_stop_signal();

/// Whether SIGTERM came since then.
bool stop_requested();

/// When checkpoints are written.
struct CheckpointTimes {
  int steps = 0;       ///< After each multiple of it, over all epochs; 0: never because of their number.
  double minutes = 0;  ///< Every so many; 0: never because of time.
};

/// Writes a checkpoint every so many steps or minutes, and when some rank is asked to stop. Steps need no
/// communication; about every half second ranks exchange whether rank 0's clock says that one is due and
/// whether any rank got the signal.
class Checkpointer : public Callback {
 public:
  /// Whether no rank is ahead of the others, so that what they have makes one checkpoint.
  using IsTogether = std::function<bool()>;
  /// Writes one. Collective.
  using Save = std::function<void(const Progress& at)>;
  /// Whether this rank is asked to stop.
  using StopRequested = std::function<bool()>;

  Checkpointer(adasum::Communicator& communicator, const CheckpointTimes& times, IsTogether is_together,
               Save save, StopRequested stop_requested);

  /// Throws Stopped.
  void step_end(const Progress& progress) override;

 private:
  using Clock = std::chrono::steady_clock;

  void exchange_requests();

  adasum::Communicator& communicator_;
  CheckpointTimes times_;
  IsTogether is_together_;
  Save save_;
  StopRequested stop_requested_;
  int steps_since_exchange_ = 0;
  int exchange_interval_ = 1;  // steps from one exchange of requests to the next
  bool due_ = false;
  bool stops_ = false;
  Clock::time_point saved_at_ = Clock::now();
  Clock::time_point exchanged_at_ = Clock::now();
};

}  // namespace adarun::trainer
