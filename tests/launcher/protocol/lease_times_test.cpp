// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/lease_times.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

TEST(LeaseTimes, LeaveTimeForAnAgentThatIsStoppedJustAfterAPing) {
  EXPECT_EQ(runs_on_after_silence(1s), 1100ms);
  EXPECT_EQ(runs_on_after_silence(10s), 2s) << "the longest";
  EXPECT_EQ(runs_on_after_silence(20s), 1s);
  EXPECT_EQ(runs_on_after_silence(1h), 0s) << "its lease is over long before";
}

TEST(LeaseTimes, LeaveTimeForAnAgentThatHearsNothingAnyMore) {
  EXPECT_EQ(runs_on_unheard(1s), 1900ms);
  EXPECT_EQ(runs_on_unheard(10s), 10s);
}

}  // namespace
}  // namespace adarun::launcher
