// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_restarts.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "tests/launcher/job/elastic_job.h"
#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

constexpr RankRestarts::Clock::time_point now{};

TEST(RankRestarts, AreForAllRanksTogether) {
  RankRestarts restarts(3, 2);
  EXPECT_EQ(restarts.plan(0, now), 0s);
  EXPECT_EQ(restarts.plan(2, now), 0s);
  EXPECT_EQ(restarts.plan(1, now), std::nullopt);
  EXPECT_EQ(restarts.left(0), 0U);
  EXPECT_EQ(restarts.take_due(now), (std::vector<protocol::StartAgain>{{0, 1}, {2, 1}}));
  EXPECT_TRUE(restarts.take_due(now).empty());
}

TEST(RankRestarts, AreNotDueAnyMoreOnANodeThatWasReplaced) {
  RankRestarts restarts(2, 2);
  restarts.plan(0, now);
  restarts.plan(1, now);
  EXPECT_EQ(restarts.move(1), 2U);
  EXPECT_EQ(restarts.take_due(now), (std::vector<protocol::StartAgain>{{0, 1}}));
}

TEST(RankRestarts, AreCountedByRole) {
  RankRestarts restarts({0, 1, 1}, {0, 1});
  EXPECT_EQ(restarts.plan(0, now), std::nullopt);
  EXPECT_EQ(restarts.left(2), 1U);
  EXPECT_EQ(restarts.plan(1, now), 0s);
  restarts.take_due(now);
  EXPECT_TRUE(restarts.is_awaited(1)) << "it does not run yet";
  EXPECT_EQ(restarts.plan(2, now), std::nullopt);
  EXPECT_FALSE(restarts.is_awaited(2));
  restarts.come_back(1, now);
  EXPECT_FALSE(restarts.is_awaited(1));
}

TEST(RankRestarts, ComeLaterEachTimeUntilTheRankHasBeenBackLongEnough) {
  RankRestarts restarts(1, 100);
  std::vector<std::chrono::milliseconds> delays;
  for (int i = 0; i < 9; ++i) delays.push_back(restarts.plan(0, now).value());
  EXPECT_EQ(delays, (std::vector<std::chrono::milliseconds>{0s, 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}));
  restarts.come_back(0, now);
  EXPECT_EQ(restarts.plan(0, now + 1s), 60s);
  restarts.come_back(0, now);
  EXPECT_EQ(restarts.plan(0, now + 2s), 0s);
  EXPECT_EQ(restarts.plan(0, now + 10s), 1s) << "it did not come back";
}

TEST(RankRestarts, AreDueInTheirOrder) {
  RankRestarts restarts(2, 3);
  restarts.plan(0, now);
  restarts.take_due(now);
  restarts.plan(0, now);
  restarts.plan(1, now);
  EXPECT_EQ(restarts.deadline(), now);
  EXPECT_EQ(restarts.take_due(now), (std::vector<protocol::StartAgain>{{1, 1}}));
  EXPECT_EQ(restarts.deadline(), now + 1s);
  EXPECT_TRUE(restarts.take_due(now).empty());
  EXPECT_EQ(restarts.take_due(now + 1s), (std::vector<protocol::StartAgain>{{0, 2}}));
  EXPECT_EQ(restarts.deadline(), std::nullopt);
}

/// The same while one is left, with ranks that are started again, three times in all.
class RestartedRankTest : public ElasticJobTest {
 protected:
  RestartedRankTest() : ElasticJobTest(1, 3) { start({0, 1, 2, 3}); }

  void come_back(std::uint32_t rank) {
    hear(rank / 2, protocol::Started{rank, 200 + rank, 0, {}});
    hear(rank / 2, protocol::Joined{rank});
    hear(rank / 2, protocol::StaysOn{rank});
  }
  void settle(std::uint32_t rank, const std::string& endpoint) {
    hear(rank / 2, protocol::ListensAt{rank, endpoint});
  }
};

/// The same, with a job that hangs after a minute of silence.
class RestartInAHangTest : public ElasticJobTest {
 protected:
  RestartInAHangTest() : ElasticJobTest(1, 3, 1min) { start({0, 1, 2, 3}); }
};

TEST_F(RestartedRankTest, ComesBackAndEndsWell) {
  exit(2, 7);
  const std::vector<Outgoing> out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].message, protocol::Message(members_of(2, {0, 1, 3})));
  EXPECT_EQ(out[1].message, protocol::Message(protocol::StartAgain{2, 1}));
  EXPECT_EQ(out[1].nodes, std::vector<std::uint32_t>{1});
  come_back(2);
  EXPECT_EQ(sent<protocol::Members>(), std::vector{members_of(3, {0, 1, 2, 3})});
  EXPECT_EQ(notices_.size(), 1U) << "it has not met them yet";
  settle(2, "h:99");
  EXPECT_EQ(notices_, (std::vector<std::string>{
                          "rank 2 on n1 (device 0): exit code 7; the job continues with 3 of 4 ranks; it is "
                          "started again (restarts left: 2)",
                          "rank 2 on n1 (device 0) has come back; the job continues with 4 of 4 ranks"}));
  EXPECT_EQ(reasons_, (std::vector<std::string>{"rank 2 on n1 (device 0): exit code 7",
                                                "rank 2 on n1 (device 0) comes back"}));
  end({0, 1, 2, 3});
  EXPECT_EQ(job_.report().count(RankState::done), 4U);
  EXPECT_TRUE(job_.report().left.empty());
}

TEST_F(RestartedRankTest, IsStartedNoMoreOftenThanTheUserWants) {
  for (std::uint32_t time = 1; time <= 3; ++time) {
    exit(2, 7);
    EXPECT_EQ(sent<protocol::StartAgain>(), (std::vector<protocol::StartAgain>{{2, time}}));
    come_back(2);
    settle(2, "h:99");
    now_ += 10s;
  }
  exit(2, 7);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  EXPECT_EQ(notices_.back(), "rank 2 on n1 (device 0): exit code 7; the job continues with 3 of 4 ranks");
  end({0, 1, 3});
  EXPECT_EQ(job_.report().left, std::vector<std::uint32_t>{2});
}

TEST_F(RestartedRankTest, IsStartedLaterAndLaterIfItDoesNotComeBack) {
  exit(2, 7);
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  for (const char* const delay : {"1 s (restarts left: 1)", "2 s (restarts left: 0)"}) {
    exit(2, 9);
    EXPECT_EQ(notices_.back(),
              std::string("rank 2 on n1 (device 0): exit code 9; it is started again in ") + delay);
    EXPECT_TRUE(sent<protocol::StartAgain>().empty());
    now_ = job_.deadline().value();
    job_.on_time(now_);
    EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  }
  exit(2, 9);
  EXPECT_EQ(notices_.back(), "rank 2 on n1 (device 0): exit code 9; it does not come back");
  end({0, 1, 3});
}

TEST_F(RestartedRankTest, IsNotTheRootWhileOlderMembersAreLeft) {
  const auto root = [this] {
    const std::vector<protocol::Members> members = sent<protocol::Members>();
    return members.size() == 1 ? std::pair(members[0].root, members[0].at) : std::pair(99U, std::string());
  };
  exit(0, 7);
  EXPECT_EQ(root(), std::pair(1U, endpoint_of(1)));
  come_back(0);
  EXPECT_EQ(root(), std::pair(1U, endpoint_of(1)));
  settle(0, "h:99");
  exit(2, 7);
  EXPECT_EQ(root(), std::pair(1U, endpoint_of(1)));
  exit(1, 7);
  EXPECT_EQ(root(), std::pair(3U, endpoint_of(3)));
  exit(3, 7);
  EXPECT_EQ(root(), std::pair(0U, std::string("h:99")));
}

TEST_F(RestartedRankTest, IsEndedIfTheOthersNeedItNoMore) {
  exit(2, 0, SIGKILL);
  for (const std::uint32_t rank : {0U, 1U}) exit(rank, 0);
  EXPECT_FALSE(stops());
  exit(3, 0);
  EXPECT_TRUE(stops());
  protocol::Exited exited{.rank = 2, .signal = SIGTERM, .stopped_by_us = true};
  hear(1, exited);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(RestartedRankTest, CannotGoOnAlone) {
  exit(2, 0, SIGKILL);
  come_back(2);
  exit(0, 1);
  exit(1, 1);
  EXPECT_FALSE(stops());
  exit(3, 1);
  EXPECT_TRUE(stops());
  exit(2, 0, SIGTERM);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().failures[0].message,
            "rank 3 on n1 (device 1): exit code 1; no rank is left that the others could continue from");
}

TEST_F(RestartedRankTest, IsLeftAloneWhereTheOthersHaveFinalizedBeforeItHasMetThem) {
  exit(2, 7);
  come_back(2);
  for (const std::uint32_t rank : {0U, 1U, 3U}) hear(rank / 2, protocol::Finalized{rank});
  job_.take_outgoing();
  hear(1, protocol::LostPeer{2, 3});
  now_ += 1s;
  job_.on_time(now_);
  EXPECT_TRUE(sent<protocol::Members>().empty()) << "it has nothing to continue from";
  exit(0, 0, SIGSEGV);  // At its end: it is not started again.
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  for (const std::uint32_t rank : {1U, 3U}) exit(rank, 0);
  EXPECT_TRUE(stops());
  protocol::Exited exited;
  exited.rank = 2;
  exited.signal = SIGTERM;
  exited.stopped_by_us = true;
  hear(1, exited);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(RestartedRankTest, FailsTheJobWhenItAborts) {
  exit(2, 7);
  hear(1, protocol::Started{2, 300, 0, {}});
  job_.take_outgoing();
  hear(1, protocol::Abort{2, 4, "", 0});
  EXPECT_TRUE(stops());
}

TEST_F(RestartedRankTest, IsNotStartedOnANodeWhoseAgentEndsAllOfIt) {
  hear(1, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  notices_.clear();
  exit(2, 0, SIGTERM);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  EXPECT_TRUE(notices_.empty());
}

TEST_F(RestartedRankTest, MayEndWellBeforeItHasMetTheOthers) {
  exit(2, 7);
  protocol::Exited exited;
  exited.rank = 2;
  hear(1, protocol::Started{2, 300, 0, {}});
  hear(1, exited);  // Without MPI, while the others have joined it.
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  now_ = job_.deadline().value_or(now_);
  job_.on_time(now_);
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  come_back(2);
  settle(2, "h:99");
  EXPECT_FALSE(stops());
  end({0, 1, 2, 3});
}

TEST_F(RestartedRankTest, IsNoMemberOnceTheJobIsBeingStopped) {
  exit(2, 7);
  job_.on_interrupt(SIGINT, now_);
  job_.take_outgoing();
  come_back(2);
  exit(1, 7);
  EXPECT_TRUE(job_.take_outgoing().empty());
}

TEST_F(RestartedRankTest, IsNotOneThatNeedsNoOthersAnyMore) {
  hear(1, protocol::Finalized{2});
  exit(2, 0, SIGKILL);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
}

/// The same in a job that hangs when all ranks are silent.
class SilentRankTest : public ElasticJobTest {
 protected:
  SilentRankTest() : ElasticJobTest(1, 3, 1min) { start({0, 1, 2, 3}); }
};

TEST_F(SilentRankTest, FailsTheJobThatWaitsForItThoughItWasStartedAgain) {
  for (const std::uint32_t rank : {0U, 1U, 3U})
    hear(rank / 2,
         protocol::Output{rank, protocol::Stream::out, "further than the one that is started again\n"});
  exit(2, 7);
  hear(1, protocol::Started{2, 300, 0, {}});
  for (int i = 0; i < 9 && job_.report().failures.empty(); ++i) {
    now_ += 1min;
    job_.on_time(now_);
  }
  ASSERT_FALSE(job_.report().failures.empty());
  EXPECT_EQ(job_.report().failures[0].kind, Failure::Kind::hung);
  EXPECT_EQ(job_.report().failures[0].rank, 2U);
  EXPECT_TRUE(stops());
}

TEST_F(RestartInAHangTest, IsNamedIfItsProgramDoesNotBegin) {
  exit(2, 7);
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  EXPECT_EQ(
      failure_of_hang(3),
      "rank 2 on n1 (device 0) hangs: it was to start 120 s ago, and its program has not begun: does the "
      "file system of its program or of its working directory answer?");
}

TEST_F(RestartInAHangTest, IsNotStartedOnceTheJobIsStopped) {
  now_ += 1min;
  job_.on_time(now_);
  exit(2, 7);
  exit(2, 9);
  EXPECT_EQ(notices_.back(),
            "rank 2 on n1 (device 0): exit code 9; it is started again in 1 s (restarts left: 1)");
  job_.take_outgoing();
  now_ += 1min;
  job_.on_time(now_);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].kind, Failure::Kind::hung);
  const std::vector<Outgoing> out = job_.take_outgoing();
  for (const Outgoing& each : out)
    EXPECT_FALSE(std::holds_alternative<protocol::StartAgain>(each.message)) << "its node is told to stop";
  EXPECT_FALSE(out.empty());
}

}  // namespace
}  // namespace adarun::launcher
