// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/series.h"

#include <gtest/gtest.h>

namespace adarun::monitor {
namespace {

Slice at(double x, double y) {
  return {x, y, y, y, y, y, true, 0};
}

TEST(Decimator, KeepsEachOfFewPoints) {
  Decimator decimator(0, 10, 4, 3);
  for (const double x : {0.0, 0.1, 10.0}) decimator.add(at(x, x));
  const auto slices = decimator.take();
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[1], at(0.1, 0.1));
}

TEST(Decimator, KeepsWhatLeapsOutOfMany) {
  Decimator decimator(1, 1'000'000, 100, 1'000'000);
  for (int x = 1; x <= 1'000'000; ++x) decimator.add(at(x, x == 567'890 ? 99 : x % 2));
  const auto slices = decimator.take();
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

TEST(Decimator, CountsWhatIsNoNumber) {
  Decimator decimator(0, 9, 1, 10);
  for (int x = 0; x < 10; ++x) decimator.add(x % 5 == 0 ? Slice{.x = 1.0 * x, .not_finite = 1} : at(x, 7));
  const auto slices = decimator.take();
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0], (Slice{9, 7, 7, 7, 7, 7, true, 2}));
}

TEST(Decimator, LeavesOutWhatLiesOutside) {
  Decimator decimator(2, 3, 10, 4);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) decimator.add(at(x, 0));
  EXPECT_EQ(decimator.take().size(), 2U);
}

}  // namespace
}  // namespace adarun::monitor
