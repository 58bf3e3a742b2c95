// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/lease_times.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

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
