// SPDX-License-Identifier: Apache-2.0
// What a curve is drawn from: decimation, times, step times.
#include <gtest/gtest.h>

#include "monitor/series/decimate.h"
#include "monitor/web/step_times.h"
#include "monitor/web/time_line.h"

namespace adarun::monitor::web {
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

TEST(TimeLine, LiesBetweenItsMarksAndGoesOnBeyond) {
  TimeLine times;
  EXPECT_TRUE(times.empty());
  EXPECT_EQ(times.seconds_at(5), 0);
  times.note(10, 1);
  times.note(20, 3);
  times.note(40, 4);
  EXPECT_DOUBLE_EQ(times.seconds_at(15), 2);
  EXPECT_DOUBLE_EQ(times.seconds_at(40), 4);
  EXPECT_DOUBLE_EQ(times.seconds_at(60), 5);
  EXPECT_DOUBLE_EQ(times.seconds_at(5), 0);
}

TEST(TimeLine, ForgetsWhatARunThatWentBackHadDone) {
  TimeLine times;
  times.note(10, 1);
  times.note(20, 2);
  times.note(30, 3);
  times.note(20, 5);
  EXPECT_DOUBLE_EQ(times.seconds_at(15), 3);
  EXPECT_DOUBLE_EQ(times.seconds_at(20), 5);
}

TEST(TimeLine, StaysSmallAndRight) {
  TimeLine times;
  for (std::uint64_t step = 0; step <= 1'000'000; ++step) times.note(step, 0.001 * static_cast<double>(step));
  for (const std::uint64_t step : {0, 1, 77'777, 500'000, 999'999, 1'000'000})
    EXPECT_NEAR(times.seconds_at(step), 0.001 * static_cast<double>(step), 1e-6) << step;
}

TEST(StepTimes, AreCountedOnce) {
  StepTimes times;
  EXPECT_TRUE(times.bars(10).empty());
  EXPECT_FALSE(times.quantile(0.5));
  for (int i = 0; i < 900; ++i) times.add(10);
  times.add(20, 100);
  times.add(0);
  times.add(-1);
  std::uint64_t steps = 0;
  for (const auto& bar : times.bars(40)) steps += bar.steps;
  EXPECT_EQ(steps, 1000U);
  EXPECT_NEAR(*times.quantile(0.5), 10, 0.5);
  EXPECT_NEAR(*times.quantile(0.99), 20, 1);
}

TEST(StepTimes, OneThatTookForeverDoesNotHideTheOthers) {
  StepTimes times;
  for (int i = 0; i < 10'000; ++i) times.add(10 + i % 10);
  times.add(3'600'000);
  const auto bars = times.bars(40);
  EXPECT_LT(bars.back().to_ms, 30);
  EXPECT_GT(bars.size(), 5U);
}

}  // namespace
}  // namespace adarun::monitor::web
