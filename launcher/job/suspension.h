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

/// A job stands still while its launcher does: nodes are told to stop all processes of the job, say when they
/// have, and are told to go on. begin() and end() in turn. Passive. Borrows all that it is made with.
class Suspension {
 public:
  using Clock = std::chrono::steady_clock;

  Suspension(const Plan& plan, Nodes& nodes, JobObserver& observer)
      : plan_(plan), nodes_(nodes), observer_(observer) {}

  void begin(Clock::time_point now);

  /// The node's processes stand still, or it is not there any more: it is not waited for.
  void settle(std::uint32_t node) { awaited_.erase(node); }

  /// No node is waited for; so too where nothing was begun.
  bool complete() const { return awaited_.empty(); }

  /// Tells the user that all stand still, and which nodes have not said so; nothing where it was not begun.
  void announce() const;

  /// How long it lasted; nothing where it was not begun.
  std::optional<Clock::duration> end(Clock::time_point now);

 private:
  const Plan& plan_;
  Nodes& nodes_;
  JobObserver& observer_;
  std::set<std::uint32_t> awaited_;  ///< Nodes that are to stop their processes.
  std::optional<Clock::time_point> begun_;
};

}  // namespace adarun::launcher
