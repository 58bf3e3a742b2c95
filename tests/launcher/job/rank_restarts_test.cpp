// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_restarts.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace adarun::launcher
