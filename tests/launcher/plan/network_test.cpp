// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/rank_environment.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

TEST(CommonNetwork, IsTheSmallestThatHoldsAllAddresses) {
  EXPECT_EQ(common_network({"10.77.0.2", "10.77.0.3"}), "10.77.0.2/31");
  EXPECT_EQ(common_network({"10.77.0.2", "10.77.0.3", "10.77.0.4"}), "10.77.0.0/29");
  EXPECT_EQ(common_network({"10.1.2.3"}), "10.1.2.3/32");
}

TEST(CommonNetwork, TakesTheWholeLoopbackNetwork) {
  EXPECT_EQ(common_network({"127.0.1.1", "127.0.1.2"}), "127.0.0.0/8");
}

TEST(CommonNetwork, SaysNothingWhereAnAddressIsMissingOrNothingIsCommon) {
  EXPECT_EQ(common_network({}), "");
  EXPECT_EQ(common_network({"10.0.0.1", ""}), "");
  EXPECT_EQ(common_network({"127.0.0.1", "10.0.0.1"}), "") << "nobody else is reached at a loopback address";
  EXPECT_EQ(common_network({"10.0.0.1", "fe80::1"}), "");
  EXPECT_EQ(common_network({"10.0.0.1", "192.168.0.1"}), "");
}

}  // namespace
}  // namespace adarun::launcher
