// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/job/rank_record.h"
#include "launcher/job/ranks.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// The ranks that failed by themselves, in the order in which they did.
struct FailureOrder {
  std::vector<std::uint32_t> first;  ///< Not empty where a rank failed: the earliest, then those that clocks
                                     ///< cannot tell from it.
  std::vector<std::uint32_t> later;  ///< By time.
};

/// Orders the failures of `records` by the launcher's clock. Two on different nodes are told apart where they
/// lie further from each other than both may be off; on one node its own clock decides. What an agent reaps
/// in one go, within a millisecond, counts as simultaneous. A rank whose time is not known comes last.
FailureOrder order_failures(const Plan& plan, const std::vector<RankRecord>& records);

/// Of a report whose `ranks` have their times: the failure that was heard of first stopped the job; where by
/// the clocks another rank's came before it, that one takes its place. Tells which ranks failed beside it and
/// after it.
void find_first_failure(const Plan& plan, const Ranks& ranks, JobReport& report);

}  // namespace adarun::launcher
