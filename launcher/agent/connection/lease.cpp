// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/lease.h"

#include <algorithm>
#include <utility>

#include "launcher/protocol/defaults.h"

namespace adarun::launcher::agent {

void Lease::limit(std::chrono::milliseconds longest) {
  length_ = std::min(length_, longest);
}

void Lease::begin(Clock::time_point heard) {
  if (std::exchange(excused_since_, heard) != heard) excused_ = borne_ = Clock::duration::zero();
}

void Lease::excuse(Clock::time_point heard, Clock::duration late, Clock::duration most) {
  begin(heard);
  excused_ = std::min(excused_ + late, most);
}

void Lease::bear(Clock::time_point heard, Clock::duration time) {
  begin(heard);
  borne_ += time;
}

Clock::time_point Lease::busy_end(Clock::time_point heard) const {
  return heard + busy_limit(length_) + (heard == excused_since_ ? excused_ : Clock::duration::zero());
}

std::optional<Clock::time_point> Lease::end(Clock::time_point heard,
                                            std::optional<Clock::time_point> cut_at) const {
  const Clock::duration length =
      length_ + (heard == excused_since_ ? excused_ + borne_ : Clock::duration::zero());
  if (!suspended_ || ignores_suspension_) return heard + length;
  if (!cut_at) return std::nullopt;
  return std::max(heard, *cut_at) + length;
}

}  // namespace adarun::launcher::agent
