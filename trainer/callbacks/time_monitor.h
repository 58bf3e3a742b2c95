// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "adasum/communicators/communicator.h"
#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

/// Prints the duration of each epoch, and the images per second of all ranks together.
class TimeMonitor : public Callback {
 public:
  /// `communicator` must outlive it. `batch_size`: images per step of one rank.
  TimeMonitor(Print print, adasum::Communicator& communicator, int batch_size)
      : print_(std::move(print)), communicator_(communicator), batch_size_(batch_size) {}

  void epoch_begin(int epoch) override;
  void step_end(const Progress& /*progress*/) override { ++steps_; }
  void epoch_end(const Progress& last) override;

 private:
  Print print_;
  adasum::Communicator& communicator_;
  int batch_size_;
  int steps_ = 0;  // in this epoch, without those before a resume within it
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace adarun::trainer
