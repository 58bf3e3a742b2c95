// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

#include "adasum/peers.h"
#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// Prints how long each epoch took, and how many images per second all ranks learned from together.
class TimeMonitor : public Callback {
 public:
  /// `peers` must outlive it. `batch_size`: images in a step of one rank.
  TimeMonitor(Print print, adasum::Peers& peers, int batch_size)
      : print_(std::move(print)), peers_(peers), batch_size_(batch_size) {}

  void epoch_begin(int epoch) override;
  void step_end(const Progress& /*progress*/) override { ++steps_; }
  void epoch_end(const Progress& last) override;

 private:
  Print print_;
  adasum::Peers& peers_;
  int batch_size_;
  int steps_ = 0;  // of this epoch, without those before a start in its middle
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace adarun::trainer
