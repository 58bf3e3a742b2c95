// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_restarts.h"

#include <csignal>
#include <tuple>
#include <utility>

#include "tests/launcher/job/elastic_job.h"

namespace adarun::launcher {
namespace {

using Orders = std::vector<protocol::StartAgain>;

TEST(RestartDelay, DoublesUpToAMinute) {
  using std::chrono::milliseconds;
  const std::vector<std::tuple<milliseconds, int, milliseconds>> cases{
      {0s, 1, 0s},     {0s, 2, 1s},     {0s, 3, 2s},        {0s, 7, 32s},  {0s, 8, 1min},
      {10ms, 1, 10ms}, {10ms, 2, 20ms}, {10ms, 1000, 1min}, {2h, 1, 1min},
  };
  for (const auto& [first, number, delay] : cases) EXPECT_EQ(restart_delay(number, first), delay) << number;
}

/// A job that continues while one rank is left, with ranks that are started again, three times in all, and
/// that hangs after a minute of silence.
class RestartedRankTest : public ElasticJobTest {
 protected:
  explicit RestartedRankTest(int restarts = 3) : ElasticJobTest(1, restarts, 1min) { start(); }

  void come_back(std::uint32_t rank) {
    start_ranks({rank});
    join({rank});
    hear(node_of(rank), protocol::StaysOn{rank});
  }
  void settle(std::uint32_t rank) { hear(node_of(rank), protocol::ListensAt{rank, "h:99"}); }
};

TEST_F(RestartedRankTest, IsStartedNoMoreOftenThanTheUserWants) {
  for (std::uint32_t time = 1; time <= 3; ++time) {
    exit(2, 7);
    EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, time}}));
    come_back(2);
    settle(2);
    now_ += 10s;
  }
  exit(0, 7);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty()) << "they are for all ranks together";
  EXPECT_EQ(notices_.back(), "rank 0 on n0 (device 0): exit code 7; the job continues with 3 of 4 ranks");
  end_well({1, 2, 3});
  EXPECT_EQ(job_.report().left, RankList{0});
}

TEST_F(RestartedRankTest, IsStartedLaterAndLaterIfItDoesNotComeBack) {
  exit(2, 7);
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  for (const char* const delay : {"1 s (restarts left: 1)", "2 s (restarts left: 0)"}) {
    exit(2, 9);
    EXPECT_EQ(notices_.back(),
              std::string("rank 2 on n1 (device 0): exit code 9; it is started again in ") + delay);
    EXPECT_TRUE(sent<protocol::StartAgain>().empty());
    pass_to_deadline();
    EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  }
  exit(2, 9);
  EXPECT_EQ(notices_.back(), "rank 2 on n1 (device 0): exit code 9; it does not come back");
  end_well({0, 1, 3});
}

struct OftenRestartedRankTest : RestartedRankTest {
  OftenRestartedRankTest() : RestartedRankTest(100) {}

  // After which a rank is started again.
  std::chrono::milliseconds delay_of(std::uint32_t rank) {
    exit(rank, 7);
    const auto begin = now_;
    while (sent<protocol::StartAgain>().empty()) {
      print({0});  // Else the job hangs.
      now_ = job_.deadline().value();
      job_.on_time(now_);
    }
    return std::chrono::duration_cast<std::chrono::milliseconds>(now_ - begin);
  }
};

TEST_F(OftenRestartedRankTest, ComesLaterEachTimeUntilItHasBeenBackLongEnough) {
  std::vector<std::chrono::milliseconds> delays;
  for (int i = 0; i < 9; ++i) delays.push_back(delay_of(2));
  EXPECT_EQ(delays, (std::vector<std::chrono::milliseconds>{0s, 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}));
  come_back(2);
  settle(2);
  now_ += 1s;
  EXPECT_EQ(delay_of(2), 60s);
  come_back(2);
  settle(2);
  now_ += 2s;
  EXPECT_EQ(delay_of(2), 0s);
  now_ += 10s;
  EXPECT_EQ(delay_of(2), 1s) << "it did not come back";
}

TEST_F(OftenRestartedRankTest, IsStartedWhenItIsDueWhicheverEndedFirst) {
  exit(2, 7);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 1}}));
  exit(2, 7);
  exit(0, 7);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{0, 1}}));
  EXPECT_EQ(job_.deadline(), now_ + 1s);
  pass(1s);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 2}}));
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
  settle(0);
  exit(2, 7);
  EXPECT_EQ(root(), std::pair(1U, endpoint_of(1)));
  exit(1, 7);
  EXPECT_EQ(root(), std::pair(3U, endpoint_of(3)));
  exit(3, 7);
  EXPECT_EQ(root(), std::pair(0U, std::string("h:99")));
}

TEST_F(RestartedRankTest, IsEndedIfTheOthersNeedItNoMore) {
  exit(2, 0, SIGKILL);
  exit_well({0, 1});
  EXPECT_FALSE(stops());
  exit(3, 0);
  EXPECT_TRUE(stops());
  be_stopped({2});
  EXPECT_EQ(end(), 0);
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
  end();
  EXPECT_EQ(failure(),
            "rank 3 on n1 (device 1): exit code 1; no rank is left that the job could continue from");
}

TEST_F(RestartedRankTest, IsLeftAloneWhereTheOthersHaveFinalizedBeforeItHasMetThem) {
  exit(2, 7);
  come_back(2);
  finalize({0, 1, 3});
  job_.take_outgoing();
  hear(1, protocol::LostPeer{2, 3});
  pass(1s);
  EXPECT_TRUE(sent<protocol::Members>().empty()) << "it has nothing to continue from";
  exit(0, 0, SIGSEGV);  // At its end: it is not started again.
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  exit_well({1, 3});
  EXPECT_TRUE(stops());
  be_stopped({2});
  EXPECT_EQ(end(), 0);
}

TEST_F(RestartedRankTest, FailsTheJobWhenItAborts) {
  exit(2, 7);
  start_ranks({2});
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
  start_ranks({2});
  exit(2);  // Without MPI, while the others have joined it.
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  pass_to_deadline();
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  come_back(2);
  settle(2);
  EXPECT_FALSE(stops());
  end_well({0, 1, 2, 3});
  EXPECT_EQ(job_.report().count(RankState::done), 4U);
  EXPECT_TRUE(job_.report().left.empty());
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
  finalize({2});
  exit(2, 0, SIGKILL);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
}

TEST_F(RestartedRankTest, FailsTheJobThatWaitsForItInSilenceThoughItWasStartedAgain) {
  print({0, 1, 3}, "further than the one that is started again\n");
  exit(2, 7);
  start_ranks({2});
  for (int i = 0; i < 9 && failure().empty(); ++i) pass(1min);
  ASSERT_FALSE(job_.report().failures.empty());
  EXPECT_EQ(job_.report().failures[0].kind, Failure::Kind::hung);
  EXPECT_EQ(job_.report().failures[0].rank, 2U);
  EXPECT_TRUE(stops());
}

TEST_F(RestartedRankTest, IsNotBlamedForAHangWhereItsNodeIsLost) {
  deal({1, LinkCut{"no sign of life for 5 s"}});
  lose(1, "no sign of life for 10 s");
  print({0, 1}, "further than those that were lost\n");
  for (int i = 0; i < 9 && failure().empty(); ++i) pass(1min);
  ASSERT_FALSE(job_.report().failures.empty());
  EXPECT_EQ(job_.report().failures[0].kind, Failure::Kind::hung);
  EXPECT_EQ(job_.report().failures[0].rank, 0U);
}

TEST_F(RestartedRankTest, IsNamedIfItsProgramDoesNotBegin) {
  exit(2, 7);
  EXPECT_EQ(sent<protocol::StartAgain>().size(), 1U);
  EXPECT_EQ(
      failure_of_hang(3),
      "rank 2 on n1 (device 0) hangs: it was to start 120 s ago, and its program has not begun: does the "
      "file system of its program or of its working directory answer?");
}

TEST_F(RestartedRankTest, IsNotStartedOnceTheJobIsStopped) {
  pass(1min);
  exit(2, 7);
  exit(2, 9);
  EXPECT_EQ(notices_.back(),
            "rank 2 on n1 (device 0): exit code 9; it is started again in 1 s (restarts left: 1)");
  job_.take_outgoing();
  pass(1min);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].kind, Failure::Kind::hung);
  const std::vector<Outgoing> out = job_.take_outgoing();
  for (const Outgoing& each : out)
    EXPECT_FALSE(std::holds_alternative<protocol::StartAgain>(each.message)) << "its node is told to stop";
  EXPECT_FALSE(out.empty());
}

TEST_F(OftenRestartedRankTest, IsNotStartedWhileTheJobIsSuspended) {
  for (int i = 0; i < 2; ++i) exit(2, 7);
  EXPECT_EQ(notices_.back(),
            "rank 2 on n1 (device 0): exit code 7; it is started again in 1 s (restarts left: 98)");
  ASSERT_EQ(job_.deadline(), now_ + 1s);
  job_.on_suspend(now_);
  job_.take_outgoing();
  exit(3, 7);  // Started again at once, otherwise.
  pass(1s);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  EXPECT_GT(job_.deadline(), now_ + 1s);
  job_.on_continue(now_);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{3, 1}, {2, 2}}));
}

}  // namespace
}  // namespace adarun::launcher
