// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_rate.h"

namespace adarun::monitor {

void StepRate::note(Clock::time_point now, std::uint64_t position) {
  constexpr std::chrono::seconds window(10);
  if (!marks_.empty() && position < marks_.back().position) marks_.clear();
  marks_.push_back({now, position});
  while (marks_.size() > 2 && now - marks_[1].time >= window) marks_.pop_front();
}

std::optional<double> StepRate::steps_per_s() const {
  if (marks_.size() < 2) return std::nullopt;
  const std::chrono::duration<double> passed = marks_.back().time - marks_.front().time;
  const auto steps = static_cast<double>(marks_.back().position - marks_.front().position);
  if (passed.count() < 0.5 || steps == 0) return std::nullopt;
  return steps / passed.count();
}

}  // namespace adarun::monitor
