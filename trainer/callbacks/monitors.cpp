// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/monitors.h"

#include <array>
#include <cmath>

#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"

namespace adarun::trainer {

void LossMonitor::show(const Progress& progress) {
  print_(loss_line(progress.epoch, progress.step, progress.loss));
  shown_step_ = progress.step;
}

void LossMonitor::not_finite(const Progress& at, int rank) {
  print_(std::isfinite(at.loss) ? not_finite_gradient_line(at.epoch, at.step, rank)
                                : not_finite_line(at.epoch, at.step));
}

void LossMonitor::step_dropped(const Progress& at, int rank, double scale) {
  print_(step_dropped_line(at.epoch, at.step, rank, scale));
}

void LossMonitor::step_end(const Progress& progress) {
  if (!std::isfinite(progress.loss)) {
    print_(not_finite_line(progress.epoch, progress.step));
    throw Error("epoch " + std::to_string(progress.epoch) + " step " + std::to_string(progress.step) +
                ": the loss is " + python_float(progress.loss));
  }
  if (log_every_ > 0 && (progress.step == 1 || progress.step % log_every_ == 0)) show(progress);
}

void LossMonitor::epoch_end(const Progress& last) {
  if (shown_step_ != last.step) show(last);
  shown_step_ = 0;
}

void TimeMonitor::epoch_begin(int /*epoch*/) {
  steps_ = 0;
  begin_ = std::chrono::steady_clock::now();
}

void TimeMonitor::epoch_end(const Progress& /*last*/) {
  const Milliseconds took = std::chrono::steady_clock::now() - begin_;
  print_(epoch_time_line(took, steps_));
  std::array<double, 1> images_per_s = {steps_ * batch_size_ / (took.count() / 1000)};
  communicator_.sum(std::span<double>(images_per_s));
  print_("throughput: " + std::to_string(std::lround(images_per_s[0])) + " images/s");
}

}  // namespace adarun::trainer
