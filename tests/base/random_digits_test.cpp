// SPDX-License-Identifier: Apache-2.0
#include "base/random_digits.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

TEST(RandomDigits, AreThirtyTwoHexadecimalOnesAndOthersEachTime) {
  const std::string digits = random_digits();
  EXPECT_EQ(digits.size(), 32U);
  EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string::npos) << digits;
  EXPECT_NE(random_digits(), digits);
}

}  // namespace
}  // namespace adarun::base
