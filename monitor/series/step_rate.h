// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace adarun::monitor {

/// The speed of a run over the last ten seconds, measured from the arrival of its lines.
class StepRate {
 public:
  using Clock = std::chrono::steady_clock;

  /// Records that the run is at this position.
  void note(Clock::time_point now, std::uint64_t position) {
    if (!positions_.empty() && position < positions_.back().position) positions_.clear();
    positions_.push_back({now, position});
    while (positions_.size() > 2 && now - positions_[1].time >= window) positions_.pop_front();
  }

  /// Steps per second; nothing until there are two positions at least half a second apart.
  std::optional<double> steps_per_s() const {
    if (positions_.size() < 2) return std::nullopt;
    const std::chrono::duration<double> passed = positions_.back().time - positions_.front().time;
    const auto steps = static_cast<double>(positions_.back().position - positions_.front().position);
    if (passed.count() < 0.5 || steps == 0) return std::nullopt;
    return steps / passed.count();
  }

 private:
  static constexpr std::chrono::seconds window{10};

  struct TimedPosition {
    Clock::time_point time;
    std::uint64_t position;
  };
  std::deque<TimedPosition> positions_;
};

}  // namespace adarun::monitor
