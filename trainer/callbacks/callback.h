// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace adarun::trainer {

/// Where the training stands. Counts from 1.
struct Progress {
  int epoch = 0;
  int step = 0;                ///< Within the epoch; at the end of an epoch, its number of steps.
  float loss = 0;              ///< Of this rank's batch.
  float rate = 0;              ///< The learning rate.
  std::int64_t all_steps = 0;  ///< Over all epochs, those before a resume too.
};

/// What wants to know how the training goes on. Every rank makes the same calls in the same order, so that
/// a callback may be collective; what it throws ends the training.
class Callback {
 public:
  virtual ~Callback() = default;

  virtual void epoch_begin(int /*epoch*/) {}
  /// Instead of the end of a step: the gradients of `rank`, and of none below it, hold NaN or an infinity. No
  /// weight was changed; the training ends here.
  virtual void not_finite(const Progress& /*at*/, int /*rank*/) {}
  /// Before the end of a step that moved no weight, since the gradients of `rank` are not finite: the loss
  /// scale is `scale` from here on.
  virtual void step_dropped(const Progress& /*at*/, int /*rank*/, double /*scale*/) {}
  virtual void step_end(const Progress& /*progress*/) {}
  virtual void epoch_end(const Progress& /*last*/) {}
};

/// Takes one line, without its end, and shows it at once.
using Print = std::function<void(const std::string& line)>;

}  // namespace adarun::trainer
