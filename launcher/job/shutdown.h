// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// Ends a job early: tells the nodes to end their processes, and gives up on nodes that have not done so by a
/// deadline. Passive. Borrows the constructor's arguments.
class Shutdown {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whether processes get the grace period to end by themselves.
  enum class Pace { with_grace, at_once };

  /// `grace`: from TERM to KILL.
  Shutdown(const Plan& plan, Nodes& nodes, JobObserver& observer, std::chrono::milliseconds grace)
      : plan_(plan), nodes_(nodes), observer_(observer), grace_(grace) {}

  /// A node has failed before any rank runs: waits a moment for failures of the others.
  void wait_for_others(Clock::time_point now);

  /// Tells every node to end its processes. An existing deadline is never moved to a later time.
  void stop(Pace pace, Clock::time_point now);

  /// When to stop waiting for nodes; nullopt if the job is not being ended.
  std::optional<Clock::time_point> deadline() const { return deadline_; }
  bool is_due(Clock::time_point now) const { return deadline_ && now >= *deadline_; }

  /// Moves the deadline by the time for which the job was suspended.
  void put_off(Clock::duration stood);

  /// Tells the user which nodes have not confirmed that their processes are gone.
  void name_silent_nodes() const;

 private:
  const Plan& plan_;
  Nodes& nodes_;
  JobObserver& observer_;
  std::chrono::milliseconds grace_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace adarun::launcher
