// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/job_context.h"
#include "launcher/job/node_replacement.h"
#include "launcher/job/report.h"

namespace adarun::launcher {

/// Decides what the end of a rank, of a node or of an agent means for a job, and when the job is over. There
/// is one for each kind of job (make_failure_policy()); this one is of jobs that need all their ranks. Those
/// of the other kinds tell the nodes and the user where a job continues. Passive.
class FailurePolicy {
 public:
  using Clock = std::chrono::steady_clock;

  /// What follows a failure.
  struct Verdict {
    std::optional<Failure> ends_by = {};  ///< The job ends, by this failure; none: it continues.
    HeardFailure heard_failure = HeardFailure::may_be_later;
  };

  FailurePolicy() = default;
  virtual ~FailurePolicy() = default;
  FailurePolicy(const FailurePolicy&) = delete;
  FailurePolicy& operator=(const FailurePolicy&) = delete;

  /// What follows a failure of which a job in `phase` hears `now`.
  virtual Verdict after(const Failure& failure, JobPhase /*phase*/, Clock::time_point /*now*/) {
    return {failure};
  }

  /// Whether agents have to be told when nothing is left to wait for. Otherwise they know by themselves.
  virtual bool tells_end() const { return false; }

  /// Whether nothing is left to wait for; false unless agents have to be told.
  virtual bool is_over() { return false; }

  /// "role proxy ends", "roles proxy, store end": those that still run when the job is over; empty: none.
  virtual std::string describe_background() const { return ""; }

  /// A rank has started.
  virtual void start(std::uint32_t /*rank*/, Clock::time_point /*now*/) {}

  /// Whether a rank that has ended is waited for, because its role restarts it.
  virtual bool awaits(std::uint32_t /*rank*/) const { return false; }

  /// Whether the job has continued without this rank, which has not come back.
  virtual bool has_left(std::uint32_t /*rank*/) const { return false; }

  /// All such ranks, ascending.
  virtual std::vector<std::uint32_t> left() const { return {}; }

  /// Whether the others do not wait for this rank.
  virtual bool is_background(std::uint32_t /*rank*/) const { return false; }

  /// Ranks that failed while the job ended, and would not have ended it, ascending.
  virtual std::vector<std::uint32_t> late() const { return {}; }
};

/// The policy of a job by its options: of `--min-ranks`, of its roles, or that of jobs which need all ranks.
/// Borrows the context, and what carries out its decisions.
std::unique_ptr<FailurePolicy> make_failure_policy(const JobContext& context, NodeReplacement& replacement);

/// The ranks of a node are lost: nothing more is heard of them.
void lose_ranks(std::uint32_t node, const JobContext& context);

/// Whether all ranks of a node have ended well.
bool has_ended_well(std::uint32_t node, const JobContext& context);

}  // namespace adarun::launcher
