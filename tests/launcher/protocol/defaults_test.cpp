// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/defaults.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

TEST(SilenceOfCut, IsHalfTheLeaseUpToItsBound) {
  EXPECT_EQ(silence_of_cut(1s), 500ms);
  EXPECT_EQ(silence_of_cut(default_lease), 5s);
  EXPECT_EQ(silence_of_cut(20s), 10s);
  EXPECT_EQ(silence_of_cut(10min), 10s);
}

TEST(PingInterval, IsATwentiethOfTheLeaseAndTwoSecondsAtMost) {
  EXPECT_EQ(ping_interval(2s), 100ms);
  EXPECT_EQ(ping_interval(1h), 2s);
}

TEST(LeaseTimes, LeaveTimeForAnAgentThatIsStoppedJustAfterAPing) {
  EXPECT_EQ(runs_on_after_silence(1s), 650ms);
  EXPECT_EQ(runs_on_after_silence(10s), 200ms);
  EXPECT_EQ(runs_on_after_silence(1h), 0s) << "its lease is over long before";
}

TEST(LeaseTimes, LeaveTimeForAnAgentThatHearsNothingAnyMore) {
  EXPECT_EQ(runs_on_unheard(1s), 1600ms);
  EXPECT_EQ(runs_on_unheard(10s), 9700ms);
}

}  // namespace
}  // namespace adarun::launcher
