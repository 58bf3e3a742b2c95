// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/base/log_lines.h"
#include "trainer/base/progress.h"

namespace adarun::trainer {

/// Is called by the training loop as it goes on. Every rank makes the same calls in the same order, so that a
/// callback may be collective; what it throws ends the training.
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

}  // namespace adarun::trainer
