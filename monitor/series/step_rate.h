// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace adarun::monitor {

/// How fast a run moves, seen from when its lines arrive: over the last ten seconds.
class StepRate {
 public:
  using Clock = std::chrono::steady_clock;

  /// The run has come to this position.
  void note(Clock::time_point now, std::uint64_t position);

  /// Steps per second; nothing before there are two positions half a second apart.
  std::optional<double> steps_per_s() const;

 private:
  struct Mark {
    Clock::time_point time;
    std::uint64_t position;
  };
  std::deque<Mark> marks_;
};

}  // namespace adarun::monitor
