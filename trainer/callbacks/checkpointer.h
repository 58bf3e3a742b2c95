// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "adasum/communicators/communicator.h"
#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// Thrown on all ranks after a request to stop, when they have written a checkpoint.
struct Stopped {
  Progress at;
};

/// From this call on, SIGTERM does not end this process but sets stop_requested().
void catch_stop_signal();

/// Whether SIGTERM has arrived since then.
bool stop_requested();

/// When checkpoints are written.
struct CheckpointTimes {
  using Clock = std::chrono::steady_clock;

  int steps = 0;       ///< After each multiple of this, over all epochs; 0: not by step count.
  double minutes = 0;  ///< Every so many minutes; 0: not by time.
  Clock::time_point since = Clock::now();  ///< When the last one was written, or the training began.
};

/// Writes a checkpoint every so many steps or minutes, when a rank is asked to stop, and at the end of the
/// training. Checkpoints by step count need no communication. About every half second the ranks exchange
/// whether one is due by rank 0's clock and whether any rank got the signal.
class Checkpointer : public Callback {
 public:
  /// Whether every local step has been combined, so that the ranks' states form one checkpoint.
  using IsTogether = std::function<bool()>;
  /// Writes a checkpoint. Collective.
  using Save = std::function<void(const Progress& at)>;
  /// Whether this rank was asked to stop.
  using StopRequested = std::function<bool()>;

  Checkpointer(adasum::Communicator& communicator, const CheckpointTimes& times, IsTogether is_together,
               Save save, StopRequested stop_requested);

  /// Call this if the training continues from the state after `at`: writes it if it is due by step count, or
  /// if a rank is to stop, unless it is `saved`. Throws Stopped. Collective.
  void proceed(const Progress& at, bool saved);

  /// Throws Stopped.
  void step_end(const Progress& progress) override;

  /// Call this after the last step: writes its state unless that has been done, or ranks are not together.
  /// Collective.
  void finish();

  /// Between two steps, while something else takes long: whether a rank is asked to stop. Collective.
  bool is_to_stop();

  /// Throws Stopped after a checkpoint of the state after `at`, or if that has no steps, of the last one that
  /// this object knows; unless it is written. Collective.
  [[noreturn]] void stop(const Progress& at);

  /// When the last one was written, by this rank's clock; before the first one, CheckpointTimes::since.
  CheckpointTimes::Clock::time_point saved_at() const { return saved_at_; }

 private:
  using Clock = CheckpointTimes::Clock;

  bool is_due_by_steps(const Progress& at) const;
  void write(const Progress& at);
  void exchange_requests();

  adasum::Communicator& communicator_;
  CheckpointTimes times_;
  IsTogether is_together_;
  Save save_;
  StopRequested stop_requested_;
  int steps_since_exchange_ = 0;
  int exchange_interval_ = 1;  // steps between two exchanges
  bool due_ = false;
  bool stops_ = false;
  Progress reached_;              // all_steps 0: nothing that has to be written
  std::int64_t saved_steps_ = 0;  // of the last checkpoint of this object
  Clock::time_point saved_at_;
  Clock::time_point exchanged_at_ = Clock::now();
};

}  // namespace adarun::trainer
