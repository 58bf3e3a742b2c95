// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// Prints one line per step, in order: `epoch 1 step 40  loss 0.8123 (min 0.7901, max 0.8412 over 16 ranks)`.
/// A step is printed when every rank still running has reached it, or two seconds after its first line.
class PlainView {
 public:
  using Clock = std::chrono::steady_clock;

  /// The lines to print now.
  std::vector<std::string> due(const Run& run, Clock::time_point now);

  /// All lines not yet printed.
  std::vector<std::string> rest(const Run& run);

 private:
  void follow_attempts(const Run& run);
  std::vector<std::string> lines_up_to(const Run& run, std::uint64_t position);

  std::optional<std::uint64_t> printed_;  ///< The last position printed.
  std::size_t attempts_ = 0;              ///< Those that had begun when a line was printed last.
  std::optional<std::uint64_t> waiting_;  ///< The highest position not printed when `since_` was set.
  Clock::time_point since_;
};

/// The line for one step.
std::string plain_line(const MergedPoint& point, const Run& run);

}  // namespace adarun::monitor
