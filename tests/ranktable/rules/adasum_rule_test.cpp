// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/adasum_rule.h"

#include <gtest/gtest.h>

namespace adarun::ranktable {
namespace {

TEST(AdasumRule, TakesPowersOfTwoFromSixteenOn) {
  for (const std::size_t count : {16, 32, 64, 1024, 65536}) EXPECT_FALSE(adasum_refusal(count)) << count;
}

TEST(AdasumRule, RefusesAllOthersInTheWordsThatUsersKnow) {
  for (const std::size_t count : {0, 1, 2, 4, 8, 12, 15, 17, 24, 48, 65535})
    EXPECT_EQ(adasum_refusal(count),
              "The device_num must be at least 16 and must be the power of 2 when applying adasum.")
        << count;
}

}  // namespace
}  // namespace adarun::ranktable
