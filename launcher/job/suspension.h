// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// Suspends a job together with its launcher: tells the nodes to stop all processes of the job, collects
/// their confirmations, and tells them to continue. Call begin() and end() alternately. Passive. Borrows the
/// constructor's arguments.
class Suspension {
 public:
  using Clock = std::chrono::steady_clock;

  Suspension(const Plan& plan, Nodes& nodes, JobObserver& observer)
      : plan_(plan), nodes_(nodes), observer_(observer) {}

  void begin(Clock::time_point now);

  /// The node has stopped its processes, or is gone: it is no longer waited for.
  void settle(std::uint32_t node) { awaited_.erase(node); }

  /// Whether no node is waited for; also true before begin().
  bool complete() const { return awaited_.empty(); }

  /// Whether it has begun, and not ended.
  bool is_on() const { return begun_.has_value(); }

  /// Tells the user that the ranks are suspended, and which nodes have not confirmed it. Does nothing before
  /// begin().
  void announce() const;

  /// Returns how long the suspension lasted; nullopt before begin().
  std::optional<Clock::duration> end(Clock::time_point now);

 private:
  const Plan& plan_;
  Nodes& nodes_;
  JobObserver& observer_;
  std::set<std::uint32_t> awaited_;  ///< Nodes that have not confirmed yet.
  std::optional<Clock::time_point> begun_;
};

}  // namespace adarun::launcher
