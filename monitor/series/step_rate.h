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
  void note(Clock::time_point now, std::uint64_t position) {
    if (!arrivals_.empty() && position < arrivals_.back().position) arrivals_.clear();
    arrivals_.push_back({now, position});
    while (arrivals_.size() > 2 && now - arrivals_[1].time >= window) arrivals_.pop_front();
  }

  /// Steps per second; nothing before there are two positions half a second apart.
  std::optional<double> steps_per_s() const {
    if (arrivals_.size() < 2) return std::nullopt;
    const std::chrono::duration<double> passed = arrivals_.back().time - arrivals_.front().time;
    const auto steps = static_cast<double>(arrivals_.back().position - arrivals_.front().position);
    if (passed.count() < 0.5 || steps == 0) return std::nullopt;
    return steps / passed.count();
  }

 private:
  static constexpr std::chrono::seconds window{10};

  struct Arrival {
    Clock::time_point time;
    std::uint64_t position;
  };
  std::deque<Arrival> arrivals_;
};

}  // namespace adarun::monitor
