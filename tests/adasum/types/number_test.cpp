// SPDX-License-Identifier: Apache-2.0
#include "adasum/types/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace adasum {
namespace {

// The value of a binary16 by its definition.
double by_definition(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const int significand = bits & 1023;
  if (exponent == 31) return significand == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(significand, -24);
  return sign * std::ldexp(1024 + significand, exponent - 25);
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Float16, AllAreTheirValueAndComeBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 number{static_cast<std::uint16_t>(bits)};
    const float value = to_float(number);
    ASSERT_TRUE(same(value, by_definition(number.bits))) << bits;
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_float16(value), number) << bits;
  }
}

// Half way between two numbers, and next to it on either side.
TEST(Float16, IsTheNearestOfTwoTheEvenOne) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const Float16 low{static_cast<std::uint16_t>(bits)};
    const Float16 high{static_cast<std::uint16_t>(bits + 1)};
    const float middle = (to_float(low) + to_float(high)) / 2;
    ASSERT_EQ(to_float16(middle), bits % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(to_float16(std::nextafter(middle, 0.0F)), low) << bits;
    ASSERT_EQ(to_float16(std::nextafter(middle, 1e9F)), high) << bits;
  }
}

TEST(Float16, BeyondItsRangeIsInfinity) {
  EXPECT_EQ(to_float16(65519.99F).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_float16(-1e30F).bits, 0xfc00);
  EXPECT_EQ(to_float16(-INFINITY).bits, 0xfc00);
  EXPECT_TRUE(std::isnan(to_float(to_float16(NAN))));
}

TEST(BFloat16, IsTheNearestOfTwoTheEvenOne) {
  for (std::uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    const BFloat16 low{static_cast<std::uint16_t>(bits)};
    const BFloat16 high{static_cast<std::uint16_t>(bits + 1)};
    ASSERT_EQ(to_bfloat16(to_float(low)), low);
    const float middle = std::bit_cast<float>((bits << 16) | 0x8000U);
    ASSERT_EQ(to_bfloat16(middle), bits % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(to_bfloat16(std::bit_cast<float>((bits << 16) | 0x7fffU)), low) << bits;
    ASSERT_EQ(to_bfloat16(std::bit_cast<float>((bits << 16) | 0x8001U)), high) << bits;
  }
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80) << "rounds to infinity";
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::bit_cast<float>(0x7f80'0001U)))))
      << "a NaN in the lower half";
}

}  // namespace
}  // namespace adasum
