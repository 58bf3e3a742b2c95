// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/ping_schedule.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

const PingSchedule::Clock::time_point start{};

TEST(PingSchedule, HasTwentyIntervalsInALease) {
  PingSchedule schedule(2s, start);
  EXPECT_TRUE(schedule.begin_interval(start));
  EXPECT_FALSE(schedule.begin_interval(start + 99ms));
  EXPECT_TRUE(schedule.begin_interval(start + 100ms));
  EXPECT_FALSE(schedule.begin_interval(start + 199ms));
}

TEST(PingSchedule, HasIntervalsOfTwoSecondsAtMost) {
  PingSchedule schedule(1h, start);
  EXPECT_TRUE(schedule.begin_interval(start));
  EXPECT_FALSE(schedule.begin_interval(start + 1999ms));
  EXPECT_TRUE(schedule.begin_interval(start + 2s));
}

TEST(PingSchedule, MakesNoTwoPingsAlike) {
  PingSchedule schedule(1s, start);
  const PingFrame first = schedule.make_ping();
  EXPECT_EQ(*first.bytes, protocol::encode(first.ping));
  EXPECT_NE(schedule.make_ping().ping, first.ping);
}

}  // namespace
}  // namespace adarun::launcher
