// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "launcher/job/examination.h"
#include "launcher/job/failure.h"
#include "launcher/job/hang_watch.h"
#include "launcher/job/nodes.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/plan.h"

namespace adarun::launcher {

/// From the silence of a job that hangs to the name of the rank that holds it up: when the watch strikes, the
/// ranks furthest behind are looked at on their nodes, the observer is told what was found, and the job has
/// its failure. Passive. Borrows all but the time.
class HangInquiry {
 public:
  using Clock = HangWatch::Clock;

  HangInquiry(const Plan& plan, const Ranks& ranks, JobObserver& observer,
              std::optional<std::chrono::milliseconds> timeout)
      : plan_(plan), ranks_(ranks), observer_(observer), watch_(plan.world_size(), timeout) {}

  HangWatch& watch() { return watch_; }

  /// When `tick` has something to do.
  std::optional<Clock::time_point> deadline() const;

  /// Asks the nodes once the job hangs; gives the failure when they have had their time to answer.
  std::optional<Failure> tick(Clock::time_point now, Nodes& nodes);

  /// Takes a node's answer; gives the failure where it was the last one.
  std::optional<Failure> take(const wire::Answer& answer, Clock::time_point now);

 private:
  std::vector<std::uint32_t> suspects() const;
  void examine(Clock::time_point now, Nodes& nodes);
  std::optional<Failure> verdict(Clock::time_point now);

  const Plan& plan_;
  const Ranks& ranks_;
  JobObserver& observer_;
  HangWatch watch_;
  std::optional<Examination> examination_;  ///< Once the job hangs.
};

}  // namespace adarun::launcher
