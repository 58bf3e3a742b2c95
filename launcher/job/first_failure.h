// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/job/rank_record.h"
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

}  // namespace adarun::launcher
