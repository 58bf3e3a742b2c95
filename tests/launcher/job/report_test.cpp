// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/report.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

constexpr std::int64_t ms = 1'000'000;
using RankList = std::vector<std::uint32_t>;

RankRecord failed_at(std::int64_t ns, std::int64_t bound_ns = 0, int signal = 0) {
  RankRecord record;
  record.state = RankState::failed;
  record.code = 1;
  record.signal = signal;
  record.ended = Moment{ns, bound_ns};
  return record;
}

RankRecord stopped_at(std::int64_t ns) {
  RankRecord record = failed_at(ns);
  record.state = RankState::stopped;
  return record;
}

RankRecord failed_sometime(int signal = 0) {
  RankRecord record = failed_at(0, 0, signal);
  record.ended.reset();
  return record;
}

// Ranks 0 and 1 on n0, ranks 2 and 3 on n1.
TEST(OrderFailures, FindsTheFirstByTheLaunchersClockAndThoseThatFollow) {
  constexpr std::int64_t far_ns = std::int64_t{1} << 62U;
  struct Case {
    const char* what;
    std::vector<RankRecord> records;
    RankList first;
    RankList later;
  };
  const std::vector<Case> cases{
      {"the earliest, and none of those that were stopped",
       {failed_at(50 * ms, ms), stopped_at(0), failed_at(20 * ms, ms), stopped_at(1)},
       {2},
       {0}},
      {"on another node it is not told from one within the bounds of both clocks",
       {failed_at(0, 4 * ms), stopped_at(0), failed_at(9 * ms, 4 * ms), failed_at(9 * ms + 1, 4 * ms)},
       {0, 2},
       {3}},
      {"on the same node it is told by that node's clock, however far that is off",
       {failed_at(0, 500 * ms), failed_at(2 * ms, 500 * ms), stopped_at(0), stopped_at(0)},
       {0},
       {1}},
      {"a rank that was killed, even if its end was seen late",
       {failed_at(0), failed_at(9 * ms), failed_at(400 * ms, 0, SIGKILL), failed_at(450 * ms)},
       {2},
       {0, 1, 3}},
      {"not one that was not killed",
       {failed_at(0), failed_at(9 * ms), failed_at(400 * ms, 0, SIGSEGV), failed_at(450 * ms)},
       {0},
       {1, 2, 3}},
      {"not one that was seen much later",
       {failed_at(0), failed_at(9 * ms), failed_at(501 * ms, 0, SIGKILL), failed_at(450 * ms)},
       {0},
       {1, 3, 2}},
      {"an unknown time comes last",
       {failed_at(5), stopped_at(0), failed_sometime(), stopped_at(0)},
       {0},
       {2}},
      {"whatever times nodes say",
       {failed_at(-far_ns), stopped_at(0), failed_at(far_ns), failed_sometime(SIGKILL)},
       {0},
       {2, 3}},
      {"none where no rank failed", std::vector<RankRecord>(4), {}, {}},
  };
  const Plan plan = plan_of("n[0-1]:2");
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    EXPECT_EQ(order_failures(plan, each.records).first, each.first);
    EXPECT_EQ(order_failures(plan, each.records).later, each.later);
  }
}

}  // namespace
}  // namespace adarun::launcher
