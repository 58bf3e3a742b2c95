// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/step_times.h"

#include <gtest/gtest.h>

namespace adarun::monitor::web {
namespace {

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
