// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/lease.h"

#include <algorithm>

namespace adarun::launcher::agent {

void Lease::limit(std::chrono::milliseconds longest) {
  length_ = std::min(length_, longest);
}

std::optional<Clock::time_point> Lease::end(Clock::time_point heard,
                                            std::optional<Clock::time_point> cut_at) const {
  if (!suspended_ || ignores_suspension_) return heard + length_;
  if (!cut_at) return std::nullopt;
  return std::max(heard, *cut_at) + length_;
}

}  // namespace adarun::launcher::agent
