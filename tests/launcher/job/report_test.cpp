// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/report.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

constexpr std::int64_t ms = 1'000'000;
using RankList = std::vector<std::uint32_t>;

// Ranks 0 and 1 on n0, ranks 2 and 3 on n1.
Plan two_nodes_of_two() {
  return plan_of("n[0-1]:2");
}

RankRecord failed_at(std::int64_t ns, std::int64_t bound_ns) {
  RankRecord record;
  record.state = RankState::failed;
  record.code = 1;
  record.ended = Moment{ns, bound_ns};
  return record;
}

RankRecord stopped_at(std::int64_t ns) {
  RankRecord record = failed_at(ns, 0);
  record.state = RankState::stopped;
  return record;
}

TEST(FirstFailure, IsTheEarliestByTheLaunchersClockAndNoneOfThoseThatWereStopped) {
  const auto order = order_failures(
      two_nodes_of_two(), {failed_at(50 * ms, ms), stopped_at(0), failed_at(20 * ms, ms), stopped_at(1)});
  EXPECT_EQ(order.first, (RankList{2}));
  EXPECT_EQ(order.later, (RankList{0}));
}

TEST(FirstFailure, OnAnotherNodeIsNotToldFromOneWithinTheBoundsOfBothClocks) {
  const Plan plan = two_nodes_of_two();
  const std::vector<RankRecord> records{failed_at(0, 4 * ms), stopped_at(0), failed_at(9 * ms, 4 * ms),
                                        failed_at(9 * ms + 1, 4 * ms)};
  EXPECT_EQ(order_failures(plan, records).first, (RankList{0, 2}));
  EXPECT_EQ(order_failures(plan, records).later, (RankList{3}));
}

TEST(FirstFailure, OnTheSameNodeIsToldByItsOwnClockHoweverFarThatIsOff) {
  const auto order = order_failures(two_nodes_of_two(), {failed_at(0, 500 * ms), failed_at(2 * ms, 500 * ms),
                                                         stopped_at(0), stopped_at(0)});
  EXPECT_EQ(order.first, (RankList{0}));
  EXPECT_EQ(order.later, (RankList{1}));
}

TEST(FirstFailure, IsOfTheRankThatWasKilledEvenIfItsEndWasSeenLate) {
  std::vector<RankRecord> records{failed_at(0, 0), failed_at(9 * ms, 0), failed_at(400 * ms, 0),
                                  failed_at(450 * ms, 0)};
  records[2].signal = SIGKILL;
  EXPECT_EQ(order_failures(two_nodes_of_two(), records).first, (RankList{2}));
  EXPECT_EQ(order_failures(two_nodes_of_two(), records).later, (RankList{0, 1, 3}));
  records[2].signal = SIGSEGV;
  EXPECT_EQ(order_failures(two_nodes_of_two(), records).first, (RankList{0}));
  records[2].signal = SIGKILL;
  records[2].ended->ns = 501 * ms;
  EXPECT_EQ(order_failures(two_nodes_of_two(), records).first, (RankList{0}));
}

TEST(FirstFailure, OfUnknownTimeComesLast) {
  std::vector<RankRecord> records{failed_at(5, 0), stopped_at(0), failed_at(0, 0), stopped_at(0)};
  records[2].ended.reset();
  EXPECT_EQ(order_failures(two_nodes_of_two(), records).first, (RankList{0}));
}

TEST(FirstFailure, IsFoundWhateverTimesNodesSay) {
  constexpr std::int64_t far_ns = std::int64_t{1} << 62U;
  std::vector<RankRecord> records{failed_at(-far_ns, 0), stopped_at(0), failed_at(far_ns, 0),
                                  failed_at(0, 0)};
  records[3].ended.reset();
  records[3].signal = SIGKILL;
  EXPECT_EQ(order_failures(two_nodes_of_two(), records).first, (RankList{0}));
}

TEST(FirstFailure, IsNoneWhereNoRankFailed) {
  EXPECT_TRUE(order_failures(two_nodes_of_two(), std::vector<RankRecord>(4)).first.empty());
}

}  // namespace
}  // namespace adarun::launcher
