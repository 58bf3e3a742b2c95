// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// The end of a job that is brought about: nodes are told to end their processes, and are given up when they
/// have not done so in time. Passive. Borrows all that it is made with.
class Shutdown {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whether processes have the grace to end by themselves.
  enum class Pace { with_grace, at_once };

  /// `grace`: from TERM to KILL.
  Shutdown(const Plan& plan, Nodes& nodes, JobObserver& observer, std::chrono::milliseconds grace)
      : plan_(plan), nodes_(nodes), observer_(observer), grace_(grace) {}

  /// A node has failed before any rank runs: the others have a moment to fail as well.
  void wait_for_others(Clock::time_point now);

  /// Tells every node to end its processes. A deadline that there is already is never put off.
  void stop(Pace pace, Clock::time_point now);

  /// When nodes are waited for no longer; nothing where the job is not being ended.
  std::optional<Clock::time_point> deadline() const { return deadline_; }
  bool is_due(Clock::time_point now) const { return deadline_ && now >= *deadline_; }

  /// The job stood still for so long.
  void put_off(Clock::duration stood);

  /// Tells the user which nodes have not said that their processes are gone.
  void name_silent_nodes() const;

 private:
  const Plan& plan_;
  Nodes& nodes_;
  JobObserver& observer_;
  std::chrono::milliseconds grace_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace adarun::launcher
