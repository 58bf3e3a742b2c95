// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/base/log_lines.h"
#include "trainer/base/progress.h"

namespace adarun::trainer {

/// Called by the training loop as it progresses. Every rank makes the same calls in the same order, so a
/// callback may be collective. An exception from a callback ends the training.
class Callback {
 public:
  virtual ~Callback() = default;

  virtual void epoch_begin(int /*epoch*/) {}
  /// Called instead of step_end(): `rank` is the lowest rank whose gradients hold NaN or an infinity. No
  /// weight was changed; the training ends after this call.
  virtual void not_finite(const Progress& /*at*/, int /*rank*/) {}
  /// Called before step_end() of a step that changed no weight because the gradients of `rank` are not
  /// finite. From now on the loss scale is `scale`.
  virtual void step_dropped(const Progress& /*at*/, int /*rank*/, double /*scale*/) {}
  virtual void step_end(const Progress& /*progress*/) {}
  virtual void epoch_end(const Progress& /*last*/) {}
};

}  // namespace adarun::trainer
