// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_status.h"

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

using protocol::StartFailure;

const protocol::Failed told_to_end{StartFailure::could_not_start, "told to end"};

// Of two nodes of two ranks each.
class NodeStatusTest : public JobTest {
 protected:
  // Of the one failure that there is.
  Failure::Kind kind() const {
    EXPECT_EQ(job_.report().failures.size(), 1U);
    return job_.report().failures.at(0).kind;
  }
};

TEST(NodeStatus, TellsOnceWhatNodesWarnOfAlike) {
  for (const protocol::Ready& ready :
       {protocol::Ready{true, "", "8 ranks share 2 cores"}, protocol::Ready{false, "", "no memory"}}) {
    JobHarness job;
    job.start_all();
    job.hear_from_all(ready);
    EXPECT_EQ(job.notices_, Texts{"n0: " + ready.warning});
  }
}

TEST_F(NodeStatusTest, NamesWhatRanksOfANodeLeftRunning) {
  start_all();
  hear(1, protocol::LeftRunning{});
  EXPECT_TRUE(notices_.empty());
  hear(1, protocol::LeftRunning{true, 2, {{"redis-server", 2}, {"a\x1b[31m\nb", 3}}});
  hear(0, protocol::LeftRunning{true, 21, {{"", 0}, {"sleep"}}});
  EXPECT_EQ(notices_,
            (Texts{"n1: ended 2 processes that ranks left running: redis-server (rank 2), a b (rank 3)",
                   "n0: ended 21 processes that ranks left running: a process (rank 0), sleep and 19 more"}));
}

TEST_F(NodeStatusTest, TakesTheFirstFailureOfANode) {
  greet_all();
  for (int i = 0; i < 2; ++i) hear(1, protocol::Failed{StartFailure::not_found, "no such program"});
  EXPECT_EQ(kind(), Failure::Kind::not_found);
  EXPECT_EQ(failure(), "n1: no such program");
}

TEST_F(NodeStatusTest, LosesANodeWhoseAgentIsToldToEndOnceItsRanksHaveBegun) {
  greet_all();
  start_ranks({2, 3});
  hear(1, told_to_end);
  EXPECT_EQ(kind(), Failure::Kind::node_lost);
}

TEST_F(NodeStatusTest, DoesNotLoseANodeThatCannotStartOneOfItsRanks) {
  greet_all();
  start_ranks({2});
  hear(1, told_to_end);
  EXPECT_EQ(kind(), Failure::Kind::could_not_start);
}

TEST_F(NodeStatusTest, LosesTheRanksThatRunOnALostNode) {
  greet_all();
  start_ranks({2});
  lose(1, "cut");
  EXPECT_EQ(kind(), Failure::Kind::node_lost);
  hear(0, protocol::Done{});
  EXPECT_EQ(job_.report().ranks[2].state, RankState::lost);
  EXPECT_EQ(job_.report().ranks[3].state, RankState::waiting);
}

TEST_F(NodeStatusTest, CountsTheEndOfALinkOnlyWhereTheNodeIsNotDone) {
  start_all();
  exit_well({2, 3});
  hear(1, protocol::Done{});
  lose(1, "hung up");
  EXPECT_EQ(failure(), "");
}

struct SilentJobTest : JobTest {
  SilentJobTest() : JobTest({.hang_timeout = 100s}) { start_all(); }
};

// Else its ranks would hang meanwhile.
TEST_F(SilentJobTest, DoesNotHangWhileANodeIsCutOff) {
  for (const bool comes_back : {true, false}) {
    SCOPED_TRACE(comes_back);
    pass(1s);
    deal({1, LinkCut{"broken pipe"}});
    for (int i = 0; i < 9; ++i) pass(20s);
    EXPECT_EQ(nodes_told<protocol::Query>(), 0U);
    if (comes_back) deal({1, LinkResumed{}});
  }
  EXPECT_EQ(notices_, (Texts{"n1: cut off, reconnecting: broken pipe", "n1: found again, nothing was lost",
                             "n1: cut off, reconnecting: broken pipe"}));
}

constexpr std::int64_t second = 1'000'000'000;

TEST(NodeClock, IsUnknownBeforeItWasRead) {
  EXPECT_EQ(NodeClock().here(7), std::nullopt);
}

TEST(NodeClock, IsKnownToHalfARoundTrip) {
  NodeClock clock;
  clock.read({5'000'100, 1'000, 1'400});  // At 1,200 give or take 200.
  EXPECT_EQ(clock.here(5'000'100), (Moment{1'200, 200}));
  EXPECT_EQ(clock.here(5'000'000), (Moment{1'100, 200}));
}

TEST(NodeClock, KeepsTheReadingThatSaysMost) {
  NodeClock clock;
  clock.read({1'000, 0, 100});
  clock.read({2'000, 500, 1'900});  // Agrees, but with a larger error.
  EXPECT_EQ(clock.here(1'000)->bound_ns, 50);
  clock.read({3'000, 2'040, 2'060});
  EXPECT_EQ(clock.here(3'000), (Moment{2'050, 10}));
}

TEST(NodeClock, TrustsAReadingLessAsItGrowsOld) {
  NodeClock clock;
  clock.read({0, -50, 50});
  EXPECT_EQ(clock.here(100 * second)->bound_ns, 50 + second / 100);
  clock.read({100 * second, 100 * second - 1'000, 100 * second + 1'000});
  EXPECT_EQ(clock.here(100 * second)->bound_ns, 1'000) << "worse than the first one was, better than it is";
}

TEST(NodeClock, FollowsAClockThatWasSet) {
  NodeClock clock;
  clock.read({0, -50, 50});
  clock.read({3'600 * second, 0, 4'000});
  EXPECT_EQ(clock.here(3'600 * second), (Moment{2'000, 2'000}));
}

TEST(NodeClock, LearnsNothingWhileItsOwnIsSetBack) {
  NodeClock clock;
  clock.read({5, 1'000, 10});
  EXPECT_EQ(clock.here(5), std::nullopt);
}

}  // namespace
}  // namespace adarun::launcher
