// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/hang_watch.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"
#include "launcher/protocol/query.h"

namespace adarun::launcher {

/// Finds the rank that makes a job hang. When HangWatch detects a hang, the ranks furthest behind are
/// examined on their nodes, the observer gets the results, and the job fails. Single ranks that stay behind
/// while the others continue are examined and reported as well, but the job continues. Examined are, by the
/// nodes' agents, the state of a rank's process (of the child for which it only waits, where it is a shell or
/// another wrapper) and where it waits, its kernel stack if readable, the same of its child processes in
/// short, and then its user stack by py-spy or gdb if installed. Passive. Borrows the plan, ranks and
/// observer.
class HangDiagnosis {
 public:
  using Clock = HangWatch::Clock;

  HangDiagnosis(const Plan& plan, const Ranks& ranks, JobObserver& observer,
                std::optional<std::chrono::milliseconds> timeout);

  HangWatch& watch() { return watch_; }

  /// When `tick` has something to do.
  std::optional<Clock::time_point> deadline() const;

  /// Sends queries to the nodes about ranks that stay behind, and when the job hangs; returns the failure
  /// once the time for answers has passed.
  std::optional<Failure> tick(Clock::time_point now, Nodes& nodes);

  /// Takes the answer of a node, unless it was not asked that; returns the failure if it was the last one
  /// about a hanging job.
  std::optional<Failure> take(std::uint32_t node, const protocol::Answer& answer, Clock::time_point now);

 private:
  using Why = ExaminedRank::Why;

  /// What a query is about.
  struct Asked {
    std::uint32_t rank = 0;
    bool is_stack = false;  ///< By a debugger, and not the facts.
  };

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
  std::optional<Clock::time_point> end_;  ///< Of an examination, even if answers are missing; else empty.
  std::uint32_t next_query_ = 0;          ///< An answer that comes after its examination is for nobody.
  std::map<std::uint32_t, Asked> open_;   ///< The queries whose answers are awaited, by id.
  std::map<std::uint32_t, std::string> found_;  ///< The other answers: lines of text, by rank.
};

}  // namespace adarun::launcher
