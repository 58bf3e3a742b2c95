// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/weight_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

TEST(MeasureWeightTime, GivesTheTimesOfOneWeight) {
  const planner::WeightTime time = measure_weight_time(model_named("lenet5", {1, 32, 10}), 3);
  EXPECT_GT(time.update_s, 0);
  EXPECT_GT(time.combine_s, 0);
  EXPECT_TRUE(std::isfinite(time.update_s + time.combine_s));
}

}  // namespace
}  // namespace adarun::trainer
