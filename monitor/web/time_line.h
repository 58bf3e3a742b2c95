// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adarun::monitor::web {

/// When a run was where. Bounded in memory: of too many marks every second one is left out.
class TimeLine {
 public:
  static constexpr std::size_t most_marks = 1U << 16U;

  /// The run was at this position so many seconds after it began. A position at or before an earlier one
  /// means that the run went back: what lay there is forgotten.
  void note(std::uint64_t position, double seconds);

  bool empty() const { return marks_.size() < 2; }

  /// Seconds from the beginning of the run, between and beyond the marks along straight lines. At least 0; 0
  /// without two marks.
  double seconds_at(std::uint64_t position) const;

 private:
  struct Mark {
    std::uint64_t position = 0;
    double seconds = 0;
  };

  std::vector<Mark> marks_;
  std::uint64_t apart_ = 1;  ///< Marks are at least so many positions apart.
};

}  // namespace adarun::monitor::web
