// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// Prints the loss of step 1, of every `log_every`-th step and of the last step of an epoch; with `log_every`
/// 0, only of the last step. Also prints a line for a skipped step.
///
/// If a loss is not finite, prints the reference's last line and throws Error. If gradients are not finite,
/// prints that line, or, if the loss is finite, a similar one that names the rank.
class LossMonitor : public Callback {
 public:
  LossMonitor(Print print, int log_every) : print_(std::move(print)), log_every_(log_every) {}

  void not_finite(const Progress& at, int rank) override;
  void step_dropped(const Progress& at, int rank, double scale) override;
  void step_end(const Progress& progress) override;
  void epoch_end(const Progress& last) override;

 private:
  void show(const Progress& progress);

  Print print_;
  int log_every_;
  int shown_step_ = 0;  // in this epoch
};

}  // namespace adarun::trainer
