// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/first_failure.h"

#include <algorithm>
#include <limits>

namespace adarun::launcher {
namespace {

constexpr std::int64_t one_go_ns = 1'000'000;

Moment moment_of(const RankRecord& record) {
  return record.ended.value_or(Moment{std::numeric_limits<std::int64_t>::max(), 0});
}

}  // namespace

FailureOrder order_failures(const Plan& plan, const std::vector<RankRecord>& records) {
  std::vector<std::uint32_t> failed;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].state == RankState::failed) failed.push_back(rank);
  std::stable_sort(failed.begin(), failed.end(), [&](std::uint32_t a, std::uint32_t b) {
    return moment_of(records[a]).ns < moment_of(records[b]).ns;
  });
  FailureOrder order;
  if (failed.empty()) return order;
  const std::uint32_t earliest = failed.front();
  const Moment begin = moment_of(records[earliest]);
  for (const std::uint32_t rank : failed) {
    const Moment moment = moment_of(records[rank]);
    const bool one_clock = plan.node_of_rank[rank] == plan.node_of_rank[earliest];
    const std::int64_t unsure = one_go_ns + (one_clock ? 0 : begin.bound_ns + moment.bound_ns);
    (moment.ns - begin.ns <= unsure ? order.first : order.later).push_back(rank);
  }
  return order;
}

}  // namespace adarun::launcher
