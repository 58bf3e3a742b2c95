// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/series.h"

#include <gtest/gtest.h>

namespace adarun::monitor {
namespace {

Slice at(double x, double y) {
  return {x, y, y, y, y, y, true, 0};
}

TEST(Decimated, KeepsEachOfFewPoints) {
  const std::vector<double> x{0.0, 0.1, 10.0};
  const auto slices = decimated(3, 4, [&x](std::size_t i) { return at(x[i], x[i]); });
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[1], at(0.1, 0.1));
  EXPECT_TRUE(decimated(0, 4, [](std::size_t) { return Slice{}; }).empty());
}

TEST(Decimated, KeepsWhatLeapsOutOfMany) {
  const auto slices = decimated(1'000'000, 100, [](std::size_t i) {
    return at(static_cast<double>(i + 1), i + 1 == 567'890 ? 99 : static_cast<double>((i + 1) % 2));
  });
  ASSERT_EQ(slices.size(), 100U);
  int leaps = 0;
  double last = 0;
  for (const Slice& slice : slices) {
    EXPECT_GT(slice.x, last);
    last = slice.x;
    EXPECT_EQ(slice.low, 0);
    EXPECT_NEAR(slice.middle, 0.5, 0.02);
    if (slice.high == 99) ++leaps;
  }
  EXPECT_EQ(leaps, 1);
  EXPECT_EQ(last, 1'000'000);
}

TEST(Decimated, CountsWhatIsNoNumber) {
  const auto slices = decimated(10, 1, [](std::size_t i) {
    const auto x = static_cast<double>(i);
    return i % 5 == 0 ? Slice{.x = x, .not_finite = 1} : at(x, 7);
  });
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0], (Slice{9, 7, 7, 7, 7, 7, true, 2}));
}

TEST(Decimated, LeavesOutWhatLiesOutside) {
  const std::vector<double> x{2.0, 1.0, 4.0, 3.0};
  EXPECT_EQ(decimated(4, 10, [&x](std::size_t i) { return at(x[i], 0); }).size(), 2U);
}

}  // namespace
}  // namespace adarun::monitor
