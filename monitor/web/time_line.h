// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace adarun::monitor::web
