// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "launcher/job/failure.h"
#include "launcher/job/hang_diagnosis.h"
#include "launcher/job/job_phase.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Handles the nodes' messages about their ranks, from Started to Exited: updates the ranks' records and the
/// hang watch, and tells the observer. Passive. Borrows the constructor's arguments.
class RankEvents {
 public:
  using Clock = std::chrono::steady_clock;

  RankEvents(Ranks& ranks, HangDiagnosis& hang, JobObserver& observer)
      : ranks_(ranks), hang_(hang), observer_(observer) {}

  /// Handles `message` and returns the job's failure if it is one. Ignores messages of other types, and about
  /// ranks that do not run on `node`. Throws protocol::Error if no correct agent sends it.
  std::optional<Failure> take(std::uint32_t node, const protocol::Message& message, JobPhase phase,
                              Clock::time_point now);

 private:
  void print(const protocol::Output& output, Clock::time_point now);
  void start(const protocol::Started& started, Clock::time_point now);
  std::optional<Failure> exit(const protocol::Exited& exited, JobPhase phase);
  std::optional<Failure> join(const protocol::Joined& joined, JobPhase phase);
  std::optional<Failure> missed_in_mpi(JobPhase phase);

  Ranks& ranks_;
  HangDiagnosis& hang_;
  JobObserver& observer_;
};

}  // namespace adarun::launcher
