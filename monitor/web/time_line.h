// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace adarun::monitor::web {

/// The time at which a run reached each position. Memory is bounded: with too many marks, every second one is
/// dropped.
class TimeLine {
 public:
  static constexpr std::size_t most_marks = 1U << 16U;

  /// Records that the run was at `position` this many seconds after it began. A position at or before an
  /// earlier one means that the run went back: the marks from there on are dropped.
  void note(std::uint64_t position, double seconds);

  bool empty() const { return marks_.size() < 2; }

  /// Seconds since the beginning of the run, interpolated and extrapolated linearly. At least 0; 0 with fewer
  /// than two marks.
  double seconds_at(std::uint64_t position) const;

 private:
  struct Mark {
    std::uint64_t position = 0;
    double seconds = 0;
  };

  std::vector<Mark> marks_;
  std::uint64_t apart_ = 1;  ///< Minimum distance of marks, in positions.
};

/// A histogram of step durations in little memory, with buckets 2 % apart.
class StepTimes {
 public:
  /// Adds `steps` steps that took `ms` each. Durations that are not above 0 are ignored.
  void add(double ms, std::uint64_t steps = 1);

  bool empty() const { return counts_.empty(); }

  std::uint64_t steps() const { return steps_; }
  double sum_ms() const { return sum_ms_; }  ///< Of all of them.

  struct Bar {
    double from_ms = 0;
    double to_ms = 0;
    std::uint64_t steps = 0;
  };

  /// At most `most` bars of equal width that cover all but 0.1 % of the steps at either end; those are
  /// counted in the first and last bar.
  std::vector<Bar> bars(std::size_t most) const;

  /// The duration that this part of the steps (0.5: half of them) does not exceed; nothing if there are no
  /// steps.
  std::optional<double> quantile(double part) const;

 private:
  std::map<int, std::uint64_t> counts_;  ///< By the logarithm of the duration.
  std::uint64_t steps_ = 0;
  double sum_ms_ = 0;
};

}  // namespace adarun::monitor::web
