// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// Prints the loss of step 1 and of every `log_every`-th step of an epoch, and of its last one; where that is
/// 0, of the last one only.
///
/// Where a loss is not finite it prints the reference's last line and throws Error; where gradients are not,
/// that line, or beside a finite loss one like it that names the rank.
/// A step that is left out has a line too.
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
  int shown_step_ = 0;  // of this epoch
};

}  // namespace adarun::trainer
