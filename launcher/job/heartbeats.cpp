// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/heartbeats.h"

#include <algorithm>

namespace adarun::launcher {

void Heartbeats::start(std::uint32_t rank) {
  ranks_[rank] = {true, std::nullopt};
}

void Heartbeats::end(std::uint32_t rank) {
  ranks_[rank].runs = false;
}

void Heartbeats::beat(std::uint32_t rank, Clock::time_point now) {
  std::optional<Pulse>& pulse = ranks_[rank].pulse;
  if (!pulse || gap(*pulse, now) > timeout_) pulse = Pulse{now, now};
  pulse->last = now;
}

std::optional<Heartbeats::Clock::time_point> Heartbeats::last(std::uint32_t rank) const {
  const std::optional<Pulse>& pulse = ranks_[rank].pulse;
  return pulse ? std::optional(pulse->last) : std::nullopt;
}

std::vector<std::uint32_t> Heartbeats::missed(Clock::time_point now) const {
  std::vector<std::uint32_t> missed;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& [runs, pulse] = ranks_[rank];
    if (runs && pulse && pulse->last - pulse->since >= 2 * timeout_ && gap(*pulse, now) >= timeout_)
      missed.push_back(rank);
  }
  return !missed.empty() && most_others_went_on(now) ? missed : std::vector<std::uint32_t>();
}

Heartbeats::Clock::duration Heartbeats::gap(const Pulse& pulse, Clock::time_point now) const {
  return now - std::max(pulse.last, held_up_);
}

// Ranks that wait for the missed one go silent soon after it; only beats of the last half timeout count, so
// that those from before do not.
bool Heartbeats::most_others_went_on(Clock::time_point now) const {
  std::size_t run = 0;
  std::size_t went_on = 0;
  for (const auto& [runs, pulse] : ranks_) {
    if (!runs) continue;
    ++run;
    if (pulse && now - pulse->last <= timeout_ / 2) ++went_on;
  }
  return 2 * went_on > run - 1;
}

}  // namespace adarun::launcher
