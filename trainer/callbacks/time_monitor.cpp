// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/time_monitor.h"

#include <array>
#include <cmath>

#include "trainer/base/log_lines.h"

namespace adarun::trainer {

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
