// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/rank_record.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

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
/// the job went on without or was to start again. The ranks in `report` must have their times.
void find_first_failure(const Plan& plan, JobReport& report, HeardFailure heard_failure,
                        const std::vector<std::uint32_t>& excused = {});

}  // namespace adarun::launcher
