// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/examination.h"
#include "launcher/job/failure.h"
#include "launcher/job/hang_watch.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// From the silence of a job that hangs to the name of the rank that holds it up: when the watch strikes, the
/// ranks furthest behind are looked at on their nodes, the observer is told what was found, and the job has
/// its failure. Single ranks that stay behind while the others go on are looked at and told of likewise, and
/// the job goes on. Passive. Borrows all but the time.
class HangDiagnosis {
 public:
  using Clock = HangWatch::Clock;

  HangDiagnosis(const Plan& plan, const Ranks& ranks, JobObserver& observer,
                std::optional<std::chrono::milliseconds> timeout)
      : plan_(plan), ranks_(ranks), observer_(observer), watch_(plan.world_size(), timeout) {}

  HangWatch& watch() { return watch_; }

  /// When `tick` has something to do.
  std::optional<Clock::time_point> deadline() const;

  /// Asks the nodes about ranks that stay behind, and once the job hangs; gives the failure that this is when
  /// they have had their time to answer.
  std::optional<Failure> tick(Clock::time_point now, Nodes& nodes);

  /// Takes a node's answer; gives the failure where it was the last one about a job that hangs.
  std::optional<Failure> take(const protocol::Answer& answer, Clock::time_point now);

 private:
  using Why = ExaminedRank::Why;

  bool job_hangs(Clock::time_point now) const;
  void name_stragglers(Clock::time_point now, Nodes& nodes);
  void examine(Why why, const std::vector<std::uint32_t>& ranks, Clock::time_point now, Nodes& nodes);
  std::optional<Failure> conclude(Clock::time_point now);
  std::string describe_straggler(const HangWatch::Straggler& straggler, Clock::time_point now) const;

  const Plan& plan_;
  const Ranks& ranks_;
  JobObserver& observer_;
  HangWatch watch_;
  Why why_ = Why::job_hangs;
  std::optional<Examination> examination_;  ///< While nodes are asked.
};

}  // namespace adarun::launcher
