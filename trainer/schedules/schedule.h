// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adarun::trainer {

/// How the learning rate changes from step to step.
struct ScheduleOptions {
  std::string name = "constant";  ///< One of schedule_names().
  double warmup_epochs = 0;       ///< The rate rises linearly from `start` for this long.
  double start = 0;               ///< The rate at the start of the warm-up.
  double end = 0;                 ///< The final value of linear and cosine.

  bool operator==(const ScheduleOptions&) const = default;
};

/// The schedules that users can select by name.
std::vector<std::string> schedule_names();

/// The learning rate of every step of a training.
class Schedule {
 public:
  /// `peak` is the rate after the warm-up. Throws Error (usage) if there is no schedule of that name.
  Schedule(const ScheduleOptions& options, double peak, std::int64_t steps_per_epoch, int epochs);

  /// The rate at `step`, from 0 on, over all epochs:
  ///   in the warm-up   start + (peak - start) step / warm-up's steps
  ///   after it, with d the completed fraction of the rest, 0 <= d < 1:
  ///     constant       peak
  ///     linear         peak + (end - peak) d
  ///     poly           peak (1 - d)^2
  ///     cosine         end + (peak - end) (1 + cos(pi d)) / 2
  ///     step           peak, a tenth of it from d = 0.3 on, a hundredth from 0.6, a thousandth from 0.8
  double rate(std::int64_t step) const;

 private:
  double (*shape_)(double done);  // falls from 1
  double start_;
  double peak_;
  double end_;
  double warmup_steps_;
  double steps_;
};

}  // namespace adarun::trainer
