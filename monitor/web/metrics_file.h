// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/line_cutter.h"
#include "monitor/files/file_tail.h"
#include "monitor/series/step_clock.h"
#include "monitor/web/quantities.h"
#include "monitor/web/step_times.h"
#include "monitor/web/time_line.h"

namespace adarun::monitor::web {

/// What a trainer writes beside its log: JSON objects, one a line, as `adarun-trainer --metrics` does. Of
/// each with "epoch" and "step" every other number is kept under its name, but for the loss, which the logs
/// have. Of numbers in an object of objects, such as those of "layers", lowest, middle and highest are kept
/// under the event's name
/// ("adasum.cosine"), and all of the last such event. "time_s" says when the step ended; where it falls, the
/// trainer was started again and goes on from there.
class MetricsFile {
 public:
  static constexpr std::size_t most_layers = 1024;

  /// The numbers of each layer at one step.
  struct LayerNumbers {
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    std::map<std::string, std::map<std::string, double>> numbers;  ///< By layer, by name.
  };

  explicit MetricsFile(std::filesystem::path path) : tail_(std::move(path)) {}

  /// Reads what is new, a piece of it; true where there was any. A file that is not there (yet) has none.
  bool poll();

  /// One piece of the file as it came.
  void feed(std::string_view bytes);

  const Quantities& quantities() const { return quantities_; }
  const LayerNumbers& layers() const { return layers_; }
  const TimeLine& times() const { return times_; }
  const StepTimes& step_times() const { return step_times_; }
  std::uint64_t dropped_steps() const { return dropped_; }

 private:
  void take_line(std::string_view line);
  void take_layers(const std::string& event, std::uint64_t position);
  void take_time(std::uint64_t position, double printed_s);

  FileTail tail_;
  base::LineCutter lines_{base::log_lines};
  StepClock clock_;
  Quantities quantities_;
  LayerNumbers layers_;
  TimeLine times_;
  StepTimes step_times_;
  std::uint64_t dropped_ = 0;
  std::uint64_t last_position_ = 0;
  double last_s_ = 0;
  double base_s_ = 0;  ///< Added to what is printed since the last start.
  std::string buffer_;
};

}  // namespace adarun::monitor::web
