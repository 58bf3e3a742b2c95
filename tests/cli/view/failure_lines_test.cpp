// SPDX-License-Identifier: Apache-2.0
#include "cli/view/end_report.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

using launcher::Failure;
using Kind = Failure::Kind;
using Lines = std::vector<std::string>;

TEST(FailureLines, HaveOneForEachFailureInItsOrder) {
  const launcher::Plan plan = launcher::plan_of("node[1-2]:2");
  EXPECT_EQ(failure_lines(plan, {launcher::rank_failure(plan, 3, Kind::rank_failed, ": exit code 7"),
                                 launcher::node_failure(plan, 0, Kind::node_lost, "the connection was cut")}),
            (Lines{"rank 3 on node2 (device 1): exit code 7", "node1: the connection was cut"}));
  EXPECT_EQ(failure_lines(plan, {}), Lines());
}

TEST(FailureLines, PutNodesThatFailedAlikeTogetherWhereTheFirstStood) {
  const launcher::Plan plan = launcher::plan_of("node[1-4]:1");
  const auto unreachable = [&plan](std::uint32_t node, const char* why) {
    return launcher::node_failure(plan, node, Kind::could_not_start, why);
  };
  EXPECT_EQ(failure_lines(plan, {unreachable(3, "no route"), unreachable(1, "refused"),
                                 unreachable(0, "no route"), unreachable(2, "no route")}),
            (Lines{"node[1,3-4]: no route", "node2: refused"}));
}

TEST(FailureLines, KeepRanksThatFailedAlikeApart) {
  const launcher::Plan plan = launcher::plan_of("node1:2");
  const auto failed = [&plan](std::uint32_t rank) {
    return launcher::rank_failure(plan, rank, Kind::rank_failed, ": exit code 7");
  };
  EXPECT_EQ(failure_lines(plan, {failed(0), failed(1)}).size(), 2U);
}

TEST(FailureLines, KeepWordsThatDoNotBeginWithTheNodesName) {
  const launcher::Plan plan = launcher::plan_of("node[1-2]:1");
  const Failure failure{Kind::broken, {}, 0, 0, 0, "the disk is full"};
  EXPECT_EQ(failure_lines(plan, {failure, failure}), (Lines{"the disk is full", "the disk is full"}));
}

}  // namespace
}  // namespace adarun::cli
