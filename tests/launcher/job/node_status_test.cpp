// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_status.h"

#include <gtest/gtest.h>

#include "launcher/protocol/archive.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

// Two nodes of two ranks each.
class NodeStatusTest : public testing::Test, public JobObserver {
 protected:
  NodeStatusTest()
      : plan_(plan_of("n[0-1]:2")), nodes_(2), ranks_(plan_), status_(plan_, nodes_, ranks_, *this) {}

  static protocol::Hello hello() { return {ADARUN_VERSION, "h", 1, 0}; }
  void on_notice(const std::string& text) override { notices_.push_back(text); }

  Plan plan_;
  Nodes nodes_;
  Ranks ranks_;
  std::vector<std::string> notices_;
  NodeStatus status_;
};

TEST_F(NodeStatusTest, GreetsANodeOnce) {
  EXPECT_FALSE(status_.greet(0, hello()));
  EXPECT_EQ(nodes_.state(0), NodeState::greeted);
  EXPECT_THROW(status_.greet(0, hello()), protocol::Error);
}

TEST_F(NodeStatusTest, RefusesAnAgentOfAnotherVersion) {
  protocol::Hello other = hello();
  other.version = "0.0.0";
  const auto failure = status_.greet(1, other);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::could_not_start);
  EXPECT_EQ(failure->node, 1U);
}

TEST_F(NodeStatusTest, TellsOnceWhatNodesWarnOfAlike) {
  status_.set_ready(0, {false, "", "no memory"});
  status_.set_ready(1, {false, "", "no memory"});
  EXPECT_EQ(notices_, std::vector<std::string>{"n0: no memory"});
  EXPECT_THROW(status_.set_ready(1, {}), protocol::Error);
}

TEST_F(NodeStatusTest, TellsOnceWhatRanksOfANodeLeftRunning) {
  status_.leave_running(1, {});
  EXPECT_TRUE(status_.has_left_running(1));
  EXPECT_FALSE(status_.has_left_running(0));
  EXPECT_TRUE(notices_.empty());
  const protocol::LeftRunning two{true, 2, {{"redis-server", 2}, {"a\x1b[31m\nb", 3}}};
  status_.leave_running(1, two);
  status_.leave_running(0, {true, 21, {{"", 0}, {"sleep"}}});
  EXPECT_EQ(notices_,
            (std::vector<std::string>{
                "n1: ended 2 processes that ranks left running: redis-server (rank 2), a b (rank 3)",
                "n0: ended 21 processes that ranks left running: a process (rank 0), sleep and 19 more"}));
  EXPECT_THROW(status_.leave_running(1, two), protocol::Error);
}

TEST_F(NodeStatusTest, RefusesMoreLeftProcessesThanThereAre) {
  EXPECT_THROW(status_.leave_running(0, {true, 0, {{"sleep", 0}}}), protocol::Error);
  const std::vector<protocol::LeftProcess> many(protocol::LeftRunning::most_named + 1);
  EXPECT_THROW(status_.leave_running(0, {true, 100, many}), protocol::Error);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(NodeStatusTest, TakesTheFirstFailureOfANode) {
  const auto failure = status_.fail(1, {protocol::StartFailure::not_found, "no such program"});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "n1: no such program");
  EXPECT_FALSE(status_.fail(1, {protocol::StartFailure::not_found, "no such program"}));
}

TEST_F(NodeStatusTest, LosesANodeWhoseAgentIsToldToEndOnceItsRanksHaveBegun) {
  const protocol::Failed told{protocol::StartFailure::could_not_start, "told to end"};
  EXPECT_EQ(status_.fail(0, told)->kind, Failure::Kind::could_not_start);
  ranks_.start({2, 100, 0, {}});
  ranks_.start({3, 100, 0, {}});
  EXPECT_EQ(status_.fail(1, told)->kind, Failure::Kind::node_lost);
}

TEST_F(NodeStatusTest, DoesNotLoseANodeThatCannotStartOneOfItsRanks) {
  ranks_.start({2, 100, 0, {}});
  EXPECT_EQ(status_.fail(1, {protocol::StartFailure::could_not_start, "no such folder"})->kind,
            Failure::Kind::could_not_start);
}

TEST_F(NodeStatusTest, LosesTheRanksThatRunOnALostNode) {
  status_.greet(1, hello());
  ranks_.start({2, 100, 0, {}});
  const auto failure = status_.lose(1, "cut");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::node_lost);
  EXPECT_EQ(ranks_.records()[2].state, RankState::lost);
  EXPECT_EQ(ranks_.records()[3].state, RankState::waiting);
}

TEST_F(NodeStatusTest, CountsTheEndOfALinkOnlyWhereTheNodeIsNotDone) {
  EXPECT_EQ(status_.lose(0, "no way there")->kind, Failure::Kind::could_not_start);
  status_.greet(1, hello());
  status_.finish(1);
  EXPECT_FALSE(status_.lose(1, "hung up"));
}

TEST_F(NodeStatusTest, BeginsAnewWhereAnotherNodeHasThePlace) {
  status_.greet(1, hello());
  status_.set_ready(1, {});
  status_.fail(1, {protocol::StartFailure::could_not_start, "told to end"});
  status_.finish(1);
  status_.renew(1);
  EXPECT_FALSE(status_.has_failed(1));
  status_.greet(1, hello());
  status_.set_ready(1, {});
}

TEST_F(NodeStatusTest, KnowsWhetherANodeIsBeingLookedFor) {
  status_.cut(0, {"broken pipe"});
  EXPECT_TRUE(status_.any_cut());
  status_.resume(0);
  EXPECT_FALSE(status_.any_cut());
  status_.cut(1, {"broken pipe"});
  status_.lose(1, "its lease is over");
  EXPECT_FALSE(status_.any_cut());
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
