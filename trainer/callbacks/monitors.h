// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "adasum/communicators/communicator.h"
#include "base/clean_text.h"
#include "trainer/base/log_lines.h"
#include "trainer/callbacks/callback.h"
#include "trainer/data/datasets/wrappers.h"

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

/// Prints which samples of a data set were corrupt and skipped, a line each, whatever is in names of files.
/// The data set must outlive it.
class SkippedSamples : public Callback {
 public:
  SkippedSamples(Print print, SkipCorruptDataset& dataset) : print_(std::move(print)), dataset_(dataset) {}

  void step_end(const Progress& /*progress*/) override { show(); }
  void epoch_end(const Progress& /*last*/) override { show(); }

 private:
  void show() {
    for (const std::string& finding : dataset_.take_findings()) print_(base::clean_line(finding));
  }

  Print print_;
  SkipCorruptDataset& dataset_;
};

}  // namespace adarun::trainer
