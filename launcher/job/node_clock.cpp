// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_clock.h"

#include <cstdlib>

namespace adarun::launcher {
namespace {

constexpr std::int64_t drift_per_ns = 10'000;  // 1 ns per 10,000 ns.

}  // namespace

std::int64_t NodeClock::Offset::bound_at(std::int64_t ns_here) const {
  return bound_ns + std::abs(ns_here - at_ns) / drift_per_ns;
}

void NodeClock::read(const ClockReading& reading) {
  const std::int64_t half = (reading.answered_ns - reading.asked_ns) / 2;
  if (half < 0) return;  // Our own clock was set back meanwhile.
  const std::int64_t middle = reading.asked_ns + half;
  const Offset fresh{reading.node_ns - middle, half, middle};
  const std::int64_t bound = best_ ? best_->bound_at(middle) : 0;
  if (!best_ || fresh.bound_ns <= bound || std::abs(fresh.ns - best_->ns) > fresh.bound_ns + bound)
    best_ = fresh;
}

std::optional<Moment> NodeClock::here(std::int64_t node_ns) const {
  if (!best_) return std::nullopt;
  const std::int64_t ns = node_ns - best_->ns;
  return Moment{ns, best_->bound_at(ns)};
}

}  // namespace adarun::launcher
