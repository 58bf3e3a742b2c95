// SPDX-License-Identifier: Apache-2.0
// What the end of a rank means by the policy of its role.
#include "launcher/job/failure_policy.h"

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

using Orders = std::vector<protocol::StartAgain>;

JobOptions options_with(const RolePolicy& of_proxy, const RolePolicy& of_worker) {
  JobOptions options;
  options.roles = {{"worker", {0, 1}, {"./worker"}, of_worker}, {"proxy", {2, 3}, {"./proxy"}, of_proxy}};
  return options;
}

/// Two nodes of two ranks each: workers on the first, proxies on the second.
class ByRoleTest : public JobTest {
 protected:
  explicit ByRoleTest(const RolePolicy& of_proxy, const RolePolicy& of_worker = {})
      : JobTest(options_with(of_proxy, of_worker)) {
    start_all();
  }
};

struct UsualRoleTest : ByRoleTest {
  UsualRoleTest() : ByRoleTest({}) {}
};

TEST_F(UsualRoleTest, EndsTheJobWhenARankFails) {
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(failure(), "rank 2 on n1 (device 0, role proxy) failed first: exit code 7");
}

TEST_F(UsualRoleTest, LeavesTheEndToAgents) {
  exit_well({0, 1, 2, 3});
  EXPECT_FALSE(stops());
  EXPECT_EQ(end(), 0);
}

struct BackgroundRoleTest : ByRoleTest {
  BackgroundRoleTest() : ByRoleTest({true, false, 0}) {}
};

TEST_F(BackgroundRoleTest, MayEndWellBefore) {
  exit_well({2, 3});
  EXPECT_FALSE(stops());
  exit_well({0, 1});
  EXPECT_TRUE(stops());
  EXPECT_TRUE(notices_.empty()) << "none of it runs";
  EXPECT_EQ(end(), 0);
}

TEST_F(BackgroundRoleTest, EndsTheJobIfItFailsWhileItIsNeeded) {
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.size(), 1U);
}

TEST_F(BackgroundRoleTest, MayFailWhenNothingWaitsForItAnyMore) {
  exit_well({0, 1});
  exit(2, 7);
  lose(1, "connection reset");
  EXPECT_EQ(end(), 0);
}

TEST_F(BackgroundRoleTest, HasUntilTheEndOfTheGracePeriodAndNoTimeoutThen) {
  exit_well({0, 1});
  hear(0, protocol::Done{});
  pass(default_grace);
  EXPECT_FALSE(job_.ended());
  pass_to_deadline();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
  EXPECT_EQ(notices_.back(),
            "n1: has not said that its processes are gone; its agent ends them within its lease");
}

TEST_F(BackgroundRoleTest, IsNoFailureOfANodeThatLiesAboutTheOthers) {
  hear(0, protocol::Done{});
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().kind, Failure::Kind::node_lost);
}

struct RestartedBackgroundTest : ByRoleTest {
  RestartedBackgroundTest() : ByRoleTest({true, false, 9}) {}
};

TEST_F(RestartedBackgroundTest, MayWaitForItsRestartWhenTheOthersEnd) {
  exit(2, 7);
  start_ranks({2});
  exit(2, 7);
  exit(0, 0);
  job_.take_outgoing();
  exit(1, 0);
  EXPECT_TRUE(stops());
  pass(5s);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  be_stopped({3});
  EXPECT_EQ(end(), 0);
  EXPECT_TRUE(job_.report().failures.empty());
}

TEST_F(RestartedBackgroundTest, IsNotBlamedForAFailureThatFollows) {
  exit(2, 7);
  now_ += 1s;
  exit(0, 9);
  EXPECT_TRUE(stops());
  be_stopped({1, 3});
  EXPECT_EQ(end(), 9);
  EXPECT_EQ(job_.report().failures.front().rank, 0U);
  EXPECT_TRUE(job_.report().followers.empty());
}

struct OptionalJobTest : ByRoleTest {
  OptionalJobTest() : ByRoleTest({false, true, 0}, {false, true, 0}) {}
};

TEST_F(OptionalJobTest, EndsWellIfOneRankDoes) {
  for (const std::uint32_t rank : {0U, 2U, 3U}) exit(rank, 7);
  exit(1, 0);
  EXPECT_EQ(end(), 0);
}

TEST_F(OptionalJobTest, FailsIfNoRankEndsWell) {
  for (const std::uint32_t rank : {2U, 0U, 1U, 3U}) exit(rank, 7 + static_cast<int>(rank));
  EXPECT_EQ(end(), 7);
}

TEST_F(OptionalJobTest, FailsIfNoRankIsLeft) {
  for (const std::uint32_t node : {0U, 1U}) lose(node, "connection reset");
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(failure(), "rank 0 on n0 (device 0, role worker): no rank of the job has ended well");
}

struct OptionalRoleTest : ByRoleTest {
  OptionalRoleTest() : ByRoleTest({false, true, 0}) {}
};

TEST_F(OptionalRoleTest, IsDoneWithoutWhereItFails) {
  exit(3, 7);
  EXPECT_FALSE(stops());
  EXPECT_EQ(
      notices_,
      Texts{"rank 3 on n1 (device 1, role proxy): exit code 7; the job continues, as the role is optional"});
  exit_well({0, 1, 2});
  EXPECT_EQ(end(), 0);
  EXPECT_EQ(job_.report().left, RankList{3});
}

TEST_F(OptionalRoleTest, IsNotBlamedForWhatFailsLater) {
  exit(3, 7);
  exit(1, 9);
  EXPECT_TRUE(stops());
  be_stopped({0, 2});
  EXPECT_EQ(end(), 9);
  EXPECT_EQ(job_.report().failures.front().rank, 1U);
  EXPECT_TRUE(job_.report().followers.empty());
}

TEST_F(OptionalRoleTest, StaysWithANodeThatOthersNeed) {
  lose(0, "connection reset");
  EXPECT_TRUE(stops());
}

TEST_F(OptionalRoleTest, EndsTheJobWhereOthersWaitForItInMpi) {
  join({0});
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(failure(), "rank 2 on n1 (device 0, role proxy) failed first: exit code 7");
}

TEST_F(OptionalRoleTest, EndsTheJobWhereOthersWaitForItInMpiLater) {
  exit(2, 7);
  EXPECT_FALSE(stops());
  join({0});
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().rank, 2U);
}

TEST_F(OptionalRoleTest, EndsTheJobIfItLeavesMpiOpen) {
  join({2});
  exit(2, 0, 9);
  EXPECT_TRUE(stops());
}

TEST_F(OptionalRoleTest, NeedNotBeThereOnANodeOfItsOwn) {
  hear(1, protocol::Failed{protocol::StartFailure::not_found, "./proxy: no such program"});
  EXPECT_FALSE(stops());
  hear(1, protocol::Done{});
  exit_well({0, 1});
  EXPECT_EQ(end(), 0);
}

TEST_F(OptionalRoleTest, EndsTheJobByMpiAbort) {
  hear(1, protocol::Abort{2, 5, "", 0});
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().kind, Failure::Kind::aborted);
}

struct RestartedRoleTest : ByRoleTest {
  RestartedRoleTest() : ByRoleTest({false, false, 2}) {}
};

TEST_F(RestartedRoleTest, IsStartedAgainAsOftenAsItMay) {
  EXPECT_TRUE(plan_.nodes[1].start.restarts_ranks);
  exit(2, 7);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 1}}));
  EXPECT_EQ(
      notices_,
      Texts{"rank 2 on n1 (device 0, role proxy): exit code 7; it is started again (restarts left: 1)"});
  start_ranks({2});
  now_ += 10s;
  exit(3, 8);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{3, 1}}));
  start_ranks({3});
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(failure(), "rank 2 on n1 (device 0, role proxy) failed first: exit code 7");
}

TEST_F(RestartedRoleTest, IsWaitedForWhileItIsToBeStartedAgain) {
  exit(2, 7);
  exit_well({3, 0, 1});
  EXPECT_FALSE(stops()) << "rank 2 has not been started yet";
  start_ranks({2});
  exit(2, 7);
  EXPECT_EQ(
      notices_.back(),
      "rank 2 on n1 (device 0, role proxy): exit code 7; it is started again in 1 s (restarts left: 0)");
  EXPECT_FALSE(stops()) << "it is to be started in a second";
  pass_to_deadline();
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 2}}));
  start_ranks({2});
  exit(2, 0);
  EXPECT_TRUE(stops());
  EXPECT_EQ(end(), 0);
}

// Else nobody would start the rank again, and the others would wait for it.
TEST_F(RestartedRoleTest, IsOnANodeThatLiesIfThatIsDoneBeforeItIsStartedAgain) {
  exit(3, 0);
  exit(2, 7);
  start_ranks({2});
  exit(2, 7);
  hear(1, protocol::Done{});
  EXPECT_EQ(failure(), "n1: its agent sent an invalid message: it is done before its ranks");
}

TEST_F(RestartedRoleTest, IsNotBlamedIfItsFailureIsHeardAfterAnother) {
  for (const std::uint32_t node : {0U, 1U}) deal({node, ClockReading{0, 0, 0}});
  hear(0, protocol::Exited{.rank = 1, .code = 9, .time_ns = 2'000'000'000});
  hear(1, protocol::Exited{.rank = 2, .code = 7, .time_ns = 1'000'000'000});
  now_ += 3s;
  be_stopped({0, 3});
  EXPECT_EQ(end(), 9);
  EXPECT_EQ(job_.report().failures.front().rank, 1U);
  EXPECT_EQ(job_.report().followers, RankList{2});
}

TEST_F(RestartedRoleTest, DoesNotComeBackIntoMpi) {
  exit(2, 7);
  start_ranks({2});
  join({2});
  EXPECT_FALSE(stops()) << "it is alone there";
  join({0});
  EXPECT_TRUE(stops());
  EXPECT_EQ(failure(),
            "rank 2 on n1 (device 0, role proxy) was started again, and others wait for it in MPI, which it "
            "cannot join");
}

TEST_F(RestartedRoleTest, MayLoseANodeWhoseRanksHadEndedWell) {
  exit_well({2, 3});
  lose(1, "connection reset");
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_, Texts{"n1: connection reset; all of its ranks had ended well"});
}

TEST_F(RestartedRoleTest, MayLoseANodeWhoseRanksHadLeftMpi) {
  join({0, 1, 2, 3});
  exit_well({2, 3});
  lose(1, "connection reset");
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_, Texts{"n1: connection reset; all of its ranks had ended well"});
}

TEST_F(RestartedRoleTest, IsNotTheOnlyOneThatCounts) {
  exit(0, 7);
  EXPECT_TRUE(stops()) << "workers have no restarts";
}

struct RestartedRolesTest : ByRoleTest {
  RestartedRolesTest() : ByRoleTest({false, false, 1}, {false, false, 1}) {}
};

TEST_F(RestartedRolesTest, HaveTheirRestartsCountedByRole) {
  exit(2, 7);
  exit(0, 7);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 1}, {0, 1}}));
  exit(3, 7);
  EXPECT_TRUE(stops()) << "rank 2 has used the one of its role";
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  EXPECT_EQ(job_.report().failures.front().rank, 3U);
}

}  // namespace
}  // namespace adarun::launcher
