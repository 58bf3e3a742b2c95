// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/failure_history.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

// A job of two ranks on each of three nodes.
class History : public testing::Test {
 protected:
  using Kind = Failure::Kind;

  bool add(std::uint32_t rank, int code, std::vector<std::uint32_t> beside = {},
           Kind kind = Kind::rank_failed) {
    JobReport report;
    report.failures = {rank_failure(plan_, rank, kind, "")};
    report.failures[0].code = code;
    report.beside = std::move(beside);
    return history_.add(plan_, report);
  }

  const Plan plan_ = plan_of("node[1-3]:2");
  FailureHistory history_;
};

TEST_F(History, SuspectsANodeAfterTwoFailuresInARow) {
  add(2, 7);
  EXPECT_FALSE(history_.suspect());
  add(4, 7);
  EXPECT_FALSE(history_.suspect());
  add(5, 1);
  EXPECT_EQ(history_.suspect(), "node3");
}

TEST_F(History, SuspectsNoNodeWhereOthersFailAtTheSameTime) {
  add(2, 7, {3, 4});
  add(2, 7, {3, 4});
  EXPECT_FALSE(history_.suspect());
  EXPECT_EQ(history_.everywhere(), "exit code 7 on node2 and node3");
}

TEST_F(History, CountsRanksThatFailedByThemselvesAlone) {
  EXPECT_TRUE(add(0, 7));
  EXPECT_FALSE(add(0, 7, {}, Kind::node_lost));
  EXPECT_FALSE(add(0, 7, {}, Kind::hung));
  EXPECT_FALSE(history_.suspect());
}

TEST_F(History, SuspectsNoNodeWhereAnAttemptBetweenFailedOtherwise) {
  add(0, 7);
  add(0, 7, {}, Kind::hung);
  add(0, 7);
  EXPECT_FALSE(history_.suspect());
  history_.clear();
  add(0, 7);
  EXPECT_FALSE(history_.suspect());
}

TEST_F(History, KnowsAProgramByTheRankThatFailsElsewhere) {
  add(0, 7);
  add(0, 7);
  EXPECT_FALSE(history_.everywhere());
  const Plan elsewhere = plan_of("node[2-4]:2");
  JobReport report;
  report.failures = {rank_failure(elsewhere, 0, Kind::rank_failed, "")};
  report.failures[0].code = 7;
  history_.add(elsewhere, report);
  EXPECT_EQ(history_.everywhere(), "exit code 7 on node1 and node2");
}

TEST_F(History, BlamesNoProgramForOtherFailures) {
  add(0, 7);
  add(2, 7);
  EXPECT_FALSE(history_.everywhere()) << "another rank";
  add(2, 9);
  EXPECT_FALSE(history_.everywhere()) << "another way";
}

}  // namespace
}  // namespace adarun::launcher
