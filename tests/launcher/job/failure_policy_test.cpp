// SPDX-License-Identifier: Apache-2.0
// What the end of a rank means by the policy of its role.
#include "launcher/job/failure_policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/job/job.h"
#include "tests/launcher/job/job_harness.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

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

  void exit(std::uint32_t rank, int code, bool stopped_by_us = false, std::int64_t time_ns = 0) {
    protocol::Exited exited;
    exited.time_ns = time_ns;
    exited.rank = rank;
    exited.code = code;
    exited.stopped_by_us = stopped_by_us;
    hear(rank / 2, exited);
  }
  int end() {
    done_all();
    EXPECT_TRUE(job_.ended());
    return job_.report().exit_status();
  }
};

struct UsualRoleTest : ByRoleTest {
  UsualRoleTest() : ByRoleTest({}) {}
};

TEST_F(UsualRoleTest, EndsTheJobWhenARankFails) {
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().message,
            "rank 2 on n1 (device 0, role proxy) failed first: exit code 7");
}

TEST_F(UsualRoleTest, LeavesTheEndToAgents) {
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) exit(rank, 0);
  EXPECT_FALSE(stops());
  EXPECT_EQ(end(), 0);
}

struct BackgroundRoleTest : ByRoleTest {
  BackgroundRoleTest() : ByRoleTest({true, false, 0}) {}
};

TEST_F(BackgroundRoleTest, IsEndedOnceTheOthersHaveEnded) {
  exit(0, 0);
  EXPECT_FALSE(stops());
  exit(1, 0);
  EXPECT_TRUE(stops());
  EXPECT_EQ(notices_, Texts{"all others have ended: role proxy ends, too"});
  exit(2, 0, true);
  exit(3, 143, true);
  EXPECT_EQ(end(), 0);
  EXPECT_TRUE(job_.report().failures.empty());
  EXPECT_EQ(job_.report().count(RankState::stopped), 2U);
}

TEST_F(BackgroundRoleTest, MayEndWellBefore) {
  exit(2, 0);
  exit(3, 0);
  EXPECT_FALSE(stops());
  exit(0, 0);
  exit(1, 0);
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
  exit(0, 0);
  exit(1, 0);
  exit(2, 7);
  job_.on_event({1, LinkLost{"connection reset"}}, now_);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(BackgroundRoleTest, HasUntilTheEndOfTheGracePeriodAndNoTimeoutThen) {
  exit(0, 0);
  exit(1, 0);
  hear(0, protocol::Done{});
  now_ += default_grace;
  job_.on_time(now_);
  EXPECT_FALSE(job_.ended());
  now_ = job_.deadline().value();
  job_.on_time(now_);
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
  hear(1, protocol::Started{2, 300, 0, {}});
  exit(2, 7);
  exit(0, 0);
  job_.take_outgoing();
  exit(1, 0);
  EXPECT_TRUE(stops());
  now_ += 5s;
  job_.on_time(now_);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  exit(3, 0, true);
  EXPECT_EQ(end(), 0);
  EXPECT_TRUE(job_.report().failures.empty());
}

TEST_F(RestartedBackgroundTest, IsNotBlamedForAFailureThatFollows) {
  exit(2, 7);
  now_ += 1s;
  exit(0, 9);
  EXPECT_TRUE(stops());
  for (const std::uint32_t rank : {1U, 3U}) exit(rank, 0, true);
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
  for (const std::uint32_t node : {0U, 1U}) job_.on_event({node, LinkLost{"connection reset"}}, now_);
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(job_.report().failures.front().message,
            "rank 0 on n0 (device 0, role worker): no rank of the job has ended well");
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
  for (const std::uint32_t rank : {0U, 1U, 2U}) exit(rank, 0);
  EXPECT_EQ(end(), 0);
  EXPECT_EQ(job_.report().left, std::vector<std::uint32_t>{3});
}

TEST_F(OptionalRoleTest, MayLoseItsNode) {
  job_.on_event({1, LinkLost{"connection reset"}}, now_);
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_, Texts{"n1: connection reset; the job continues, as its roles there are optional"});
  EXPECT_EQ(left_, (std::vector<std::uint32_t>{2, 3}));
  exit(0, 0);
  exit(1, 0);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
  EXPECT_EQ(job_.report().left, (std::vector<std::uint32_t>{2, 3}));
}

TEST_F(OptionalRoleTest, IsNotBlamedForWhatFailsLater) {
  exit(3, 7);
  exit(1, 9);
  EXPECT_TRUE(stops());
  for (const std::uint32_t rank : {0U, 2U}) exit(rank, 0, true);
  EXPECT_EQ(end(), 9);
  EXPECT_EQ(job_.report().failures.front().rank, 1U);
  EXPECT_TRUE(job_.report().followers.empty());
}

TEST_F(OptionalRoleTest, StaysWithANodeThatOthersNeed) {
  job_.on_event({0, LinkLost{"connection reset"}}, now_);
  EXPECT_TRUE(stops());
}

TEST_F(OptionalRoleTest, EndsTheJobWhereOthersWaitForItInMpi) {
  hear(0, protocol::Joined{0});
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().message,
            "rank 2 on n1 (device 0, role proxy) failed first: exit code 7");
}

TEST_F(OptionalRoleTest, EndsTheJobWhereOthersWaitForItInMpiLater) {
  exit(2, 7);
  EXPECT_FALSE(stops());
  hear(0, protocol::Joined{0});
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().rank, 2U);
}

TEST_F(OptionalRoleTest, EndsTheJobIfItLeavesMpiOpen) {
  hear(1, protocol::Joined{2});
  protocol::Exited exited;
  exited.rank = 2;
  exited.signal = 9;
  exited.mpi_connected = true;
  hear(1, exited);
  EXPECT_TRUE(stops());
}

TEST_F(OptionalRoleTest, NeedNotBeThereOnANodeOfItsOwn) {
  hear(1, protocol::Failed{protocol::StartFailure::not_found, "./proxy: no such program"});
  EXPECT_FALSE(stops());
  hear(1, protocol::Done{});
  exit(0, 0);
  exit(1, 0);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
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
  EXPECT_EQ(sent<protocol::StartAgain>(), (std::vector<protocol::StartAgain>{{2, 1}}));
  EXPECT_EQ(
      notices_,
      Texts{"rank 2 on n1 (device 0, role proxy): exit code 7; it is started again (restarts left: 1)"});
  hear(1, protocol::Started{2, 300, 0, {}});
  now_ += 10s;
  exit(3, 8);
  EXPECT_EQ(sent<protocol::StartAgain>(), (std::vector<protocol::StartAgain>{{3, 1}}));
  hear(1, protocol::Started{3, 301, 0, {}});
  exit(2, 7);
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().message,
            "rank 2 on n1 (device 0, role proxy) failed first: exit code 7");
}

TEST_F(RestartedRoleTest, IsWaitedForWhileItIsToBeStartedAgain) {
  exit(2, 7);
  exit(2 + 1, 0);
  exit(0, 0);
  exit(1, 0);
  EXPECT_FALSE(stops()) << "rank 2 has not been started yet";
  hear(1, protocol::Started{2, 300, 0, {}});
  exit(2, 7);
  EXPECT_EQ(
      notices_.back(),
      "rank 2 on n1 (device 0, role proxy): exit code 7; it is started again in 1 s (restarts left: 0)");
  EXPECT_FALSE(stops()) << "it is to be started in a second";
  now_ = job_.deadline().value();
  job_.on_time(now_);
  EXPECT_EQ(sent<protocol::StartAgain>(), (std::vector<protocol::StartAgain>{{2, 2}}));
  hear(1, protocol::Started{2, 301, 0, {}});
  exit(2, 0);
  EXPECT_TRUE(stops());
  EXPECT_EQ(end(), 0);
}

// Else nobody would start the rank again, and the others would wait for it.
TEST_F(RestartedRoleTest, IsOnANodeThatLiesIfThatIsDoneBeforeItIsStartedAgain) {
  exit(3, 0);
  exit(2, 7);
  hear(1, protocol::Started{2, 300, 0, {}});
  exit(2, 7);
  hear(1, protocol::Done{});
  ASSERT_FALSE(job_.report().failures.empty());
  EXPECT_EQ(job_.report().failures.front().message,
            "n1: its agent sent an invalid message: it is done before its ranks");
}

TEST_F(RestartedRoleTest, IsNotBlamedIfItsFailureIsHeardAfterAnother) {
  for (const std::uint32_t node : {0U, 1U}) job_.on_event({node, ClockReading{0, 0, 0}}, now_);
  exit(1, 9, false, 2'000'000'000);
  exit(2, 7, false, 1'000'000'000);
  for (const std::uint32_t rank : {0U, 3U}) exit(rank, 0, true, 3'000'000'000);
  EXPECT_EQ(end(), 9);
  EXPECT_EQ(job_.report().failures.front().rank, 1U);
  EXPECT_EQ(job_.report().followers, std::vector<std::uint32_t>{2});
}

TEST_F(RestartedRoleTest, DoesNotComeBackIntoMpi) {
  exit(2, 7);
  hear(1, protocol::Started{2, 300, 0, {}});
  hear(1, protocol::Joined{2});
  EXPECT_FALSE(stops()) << "it is alone there";
  hear(0, protocol::Joined{0});
  EXPECT_TRUE(stops());
  EXPECT_EQ(job_.report().failures.front().message,
            "rank 2 on n1 (device 0, role proxy) was started again, and others wait for it in MPI, which it "
            "cannot join");
}

TEST_F(RestartedRoleTest, MayLoseANodeWhoseRanksHadEndedWell) {
  exit(2, 0);
  exit(3, 0);
  job_.on_event({1, LinkLost{"connection reset"}}, now_);
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_, Texts{"n1: connection reset; all of its ranks had ended well"});
}

TEST_F(RestartedRoleTest, MayLoseANodeWhoseRanksHadLeftMpi) {
  for (std::uint32_t rank = 0; rank < 4; ++rank) hear(rank / 2, protocol::Joined{rank});
  for (const std::uint32_t rank : {2U, 3U})
    hear(1, protocol::Exited{.rank = rank, .mpi_connected = true, .mpi_finalized = true});
  job_.on_event({1, LinkLost{"connection reset"}}, now_);
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_, Texts{"n1: connection reset; all of its ranks had ended well"});
}

TEST_F(RestartedRoleTest, IsNotTheOnlyOneThatCounts) {
  exit(0, 7);
  EXPECT_TRUE(stops()) << "workers have no restarts";
}

}  // namespace
}  // namespace adarun::launcher
