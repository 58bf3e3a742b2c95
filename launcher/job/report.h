// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// How a job ended.
struct JobReport {
  std::vector<RankRecord> ranks;
  std::vector<Failure> failures;  ///< The first one, then independent ones (further nodes that could not
                                  ///< start); empty: all ranks exited 0.
  std::chrono::milliseconds duration{0};
  /// For how long what it ran may continue from then on, on nodes that are lost or have not said that it
  /// ended.
  std::chrono::milliseconds runs_on{0};
  /// Ranks that failed at the same time as the first one, within clock accuracy.
  std::vector<std::uint32_t> beside = {};
  std::vector<std::uint32_t> followers = {};  ///< Ranks that failed by themselves later.
  std::vector<std::uint32_t> left = {};       ///< Ranks that ended, and without which the job continued.
  /// Every node has refused what is asked of it: the request is wrong, and no node is to blame.
  bool is_refused = false;

  /// The documented exit status: 0, the first failing rank's, 124, 125, 126, 127, 128+n.
  int exit_status() const;

  std::size_t count(RankState state) const;

  /// Whether it was interrupted or reached its timeout.
  bool was_cut_short() const;
};

/// The end of a rank as the failure of the job, in the words that users read: "rank 2 on node2 (device 0)
/// failed first: exit code 7".
Failure failure_of(const Plan& plan, std::uint32_t rank, const RankRecord& record);

/// The ranks that failed by themselves, in time order.
struct FailureOrder {
  std::vector<std::uint32_t> first;  ///< The first, then those within clock accuracy of it.
  std::vector<std::uint32_t> later;  ///< By time; those before the first, too, if that was seen late.
};

/// Orders the failures of `records` by the launcher's clock. Two failures on different nodes are ordered if
/// they are further apart than the sum of both error bounds; on one node its own clock decides. Failures
/// within a millisecond, which an agent may reap together, count as simultaneous. A rank that was killed
/// comes before those that failed otherwise up to half a second before its agent saw it end. A rank without a
/// known time comes last. `excused` ranks (ascending) are left out.
FailureOrder order_failures(const Plan& plan, const std::vector<RankRecord>& records,
                            const std::vector<std::uint32_t>& excused = {});

/// Whether the failure that stopped the job may have been heard before an earlier one, or stands as it is.
enum class HeardFailure { may_be_later, stands };

/// Corrects which rank of `report` failed first. The report's first failure is the one that arrived first and
/// stopped the job; if by the clocks another rank failed earlier, that rank's failure replaces it, unless it
/// stands. Also sets which ranks failed at the same time and later, but for the `excused` (ascending), which
/// the job continued without or was to start again. The ranks in `report` must have their times.
void find_first_failure(const Plan& plan, JobReport& report, HeardFailure heard_failure,
                        const std::vector<std::uint32_t>& excused = {});

}  // namespace adarun::launcher
