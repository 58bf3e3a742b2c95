// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/files/file_tail.h"
#include "monitor/series/step_clock.h"
#include "monitor/web/time_line.h"

namespace adarun::monitor::web {

/// A number of a run at a position, such as the learning rate; or the lowest, the median and the highest of
/// several, such as the layers of a model.
struct QuantityPoint {
  std::uint64_t position = 0;
  double low = 0;
  double middle = 0;
  double high = 0;

  bool operator==(const QuantityPoint&) const = default;
};

/// Numbers of a run over its steps, by name. Memory is bounded: if a name has too many points, every second
/// one is dropped; names beyond `most_names` are ignored.
class Quantities {
 public:
  static constexpr std::size_t most_points = 1U << 16U;
  static constexpr std::size_t most_names = 64;

  /// A point at or before the last one of its name means that the run went back: the points from there on are
  /// replaced.
  void add(const std::string& name, const QuantityPoint& point);

  bool empty() const { return curves_.empty(); }
  std::vector<std::string> names() const;

  /// The points in the order of positions; null for an unknown name.
  const std::vector<QuantityPoint>* find(const std::string& name) const;

 private:
  struct QuantityCurve {
    std::vector<QuantityPoint> points;
    std::uint64_t apart = 1;  ///< Minimum distance of points, in positions.
  };

  std::map<std::string, QuantityCurve> curves_;
};

/// Reads what a trainer writes besides its log: one JSON object per line, as `adarun-trainer --metrics` does.
/// From each object with "epoch" and "step", every other number is kept under its name, except the loss,
/// which is in the logs. From an object of objects, such as "layers", the lowest, median and highest of each
/// number are kept under the event's name ("adasum.cosine"), and all numbers of the last such event. "time_s"
/// is when the step ended; if it decreases, the trainer was restarted and the times continue from the last
/// one.
class MetricsFile {
 public:
  static constexpr std::size_t most_layers = 1024;

  /// Enough for that many layers; a longer line is skipped.
  static constexpr std::size_t most_line_bytes = 1U << 20U;

  /// The numbers of each layer at one step.
  struct LayerNumbers {
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    std::map<std::string, std::map<std::string, double>> numbers;  ///< By layer, then by name.
  };

  explicit MetricsFile(std::filesystem::path path) : tail_(std::move(path), Links::refused) {}

  /// Continues with the file of another attempt at the job, whose epochs may be of another length.
  void follow(std::filesystem::path path);

  /// Reads a piece of what is new; true if there was any. A file that does not exist (yet) has nothing new.
  bool poll();

  /// Takes one piece of the file.
  void feed(std::string_view bytes);

  const Quantities& quantities() const { return quantities_; }
  const LayerNumbers& layers() const { return layers_; }
  const TimeLine& times() const { return times_; }
  const StepTimes& step_times() const { return step_times_; }

 private:
  void take_line(std::string_view line);
  void take_layers(const std::string& event, std::uint64_t position);
  void take_time(std::uint64_t position, double printed_s);

  FileTail tail_;
  base::LineCutter lines_{{base::log_lines.end, base::Overlong::truncated, most_line_bytes}};
  StepClock clock_;
  Quantities quantities_;
  LayerNumbers layers_;
  TimeLine times_;
  StepTimes step_times_;
  std::uint64_t last_position_ = 0;
  double last_s_ = 0;
  double base_s_ = 0;  ///< Added to the times printed since the last restart.
  std::string buffer_;
};

}  // namespace adarun::monitor::web
