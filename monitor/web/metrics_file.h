// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/files/file_tail.h"
#include "monitor/parse/line_splitter.h"
#include "monitor/series/step_clock.h"
#include "monitor/web/step_times.h"
#include "monitor/web/time_line.h"

namespace adarun::monitor::web {

/// One number of a run over its steps, such as the learning rate.
struct Quantity {
  std::vector<Sample> samples;  ///< In order; `loss` is the value. Of too many every second one is left out.
  std::uint64_t apart = 1;      ///< Samples are at least so many positions apart.
};

/// What a trainer writes beside its log: JSON objects, one a line, as `adarun-trainer --metrics` does. Of
/// each with "epoch" and "step" every other number is kept under its name ("lr", "adasum.orthogonality" for
/// one in an object), but for the loss, which the logs have. "time_s" says when the step ended; where it
/// falls, the trainer was started again and goes on from there.
class MetricsFile {
 public:
  static constexpr std::size_t most_samples = 1U << 16U;
  static constexpr std::size_t most_quantities = 64;

  explicit MetricsFile(std::filesystem::path path) : tail_(std::move(path)) {}

  /// Reads what is new, a piece of it; true where there was any. A file that is not there (yet) has none.
  bool poll();

  /// One piece of the file as it came.
  void feed(std::string_view bytes);

  const std::map<std::string, Quantity>& quantities() const { return quantities_; }
  const TimeLine& times() const { return times_; }
  const StepTimes& step_times() const { return step_times_; }
  std::uint64_t dropped_steps() const { return dropped_; }

 private:
  void take_line(std::string_view line);
  void take_time(std::uint64_t position, double printed_s);
  void keep(const std::string& name, const Sample& sample);

  FileTail tail_;
  LineSplitter lines_;
  StepClock clock_;
  std::map<std::string, Quantity> quantities_;
  TimeLine times_;
  StepTimes step_times_;
  std::uint64_t dropped_ = 0;
  std::uint64_t last_position_ = 0;
  double last_s_ = 0;
  double base_s_ = 0;  ///< Added to what is printed since the last start.
  std::string buffer_;
};

}  // namespace adarun::monitor::web
