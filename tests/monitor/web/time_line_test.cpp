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

}  // namespace
}  // namespace adarun::monitor::web
