// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/job_file.h"

#include <gtest/gtest.h>

#include "launcher/hosts/host_list.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

// Two nodes with two ranks each.
class RankStatesTest : public testing::Test {
 protected:
  static Plan plan() {
    const auto hosts = parse_host_list("a:2,b:2");
    return make_plan(table_of(hosts), hosts, {"", ""}, {}, {});
  }

  void start(std::uint32_t rank) { states_.start({rank, 100 + rank, 7, {}}); }

  const Plan plan_ = plan();
  RankStates states_{plan_};
  const RankStates::Clock::time_point now_{1000s};
};

TEST_F(RankStatesTest, HaveNothingToWriteBeforeAnythingHasHappened) {
  EXPECT_FALSE(states_.due(now_));
}

TEST_F(RankStatesTest, FollowTheEvents) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) start(rank);
  RankRecord done;
  done.state = RankState::done;
  states_.end(1, done);
  states_.lose(0);
  std::vector<RankState> states;
  for (const RankRecord& record : states_.records()) states.push_back(record.state);
  EXPECT_EQ(states, (std::vector{RankState::lost, RankState::done, RankState::running, RankState::waiting}));
  EXPECT_EQ(states_.records()[2].pid, 102U);
  EXPECT_EQ(states_.records()[2].started_ns, 7);
}

TEST_F(RankStatesTest, AreWrittenAtMostOnceASecond) {
  start(0);
  EXPECT_TRUE(states_.due(now_));
  states_.wrote(now_, now_);
  EXPECT_FALSE(states_.due(now_ + 5s));
  start(1);
  EXPECT_FALSE(states_.due(now_ + 999ms));
  EXPECT_TRUE(states_.due(now_ + 1s));
}

TEST_F(RankStatesTest, TakeNoMoreThanAFiftiethOfTheTime) {
  start(0);
  states_.wrote(now_, now_ + 100ms);
  start(1);
  EXPECT_FALSE(states_.due(now_ + 5s));
  EXPECT_TRUE(states_.due(now_ + 5100ms));
}

TEST_F(RankStatesTest, AreWrittenAtOnceWhenAllRanksHaveStartedAndAtTheFirstFailure) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) start(rank);
  states_.wrote(now_, now_);
  start(3);
  EXPECT_TRUE(states_.due(now_));
  states_.wrote(now_, now_);
  states_.fail();
  EXPECT_TRUE(states_.due(now_));
  states_.wrote(now_, now_);
  states_.fail();
  EXPECT_FALSE(states_.due(now_));
}

}  // namespace
}  // namespace adarun::launcher
