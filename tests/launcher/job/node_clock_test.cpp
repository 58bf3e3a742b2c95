// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_status.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

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
