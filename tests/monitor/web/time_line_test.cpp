// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/time_line.h"

#include <gtest/gtest.h>

namespace adarun::monitor::web {
namespace {

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
  EXPECT_EQ(times.steps(), 1000U);
  EXPECT_DOUBLE_EQ(times.sum_ms(), 11000);
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
