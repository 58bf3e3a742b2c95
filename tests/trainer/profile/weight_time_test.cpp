// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/weight_time.h"

#include <gtest/gtest.h>

#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

TEST(MeasureWeightTime, GivesTheTimesOfOneWeight) {
  const planner::WeightTime time = measure_weight_time(model_named("lenet5", {1, 32, 10}), 3);
  EXPECT_GT(time.update_s, 0);
  EXPECT_GT(time.combine_s, 0);
  EXPECT_LT(time.update_s, 1e-4) << "61,706 weights would take longer than six seconds";
}

}  // namespace
}  // namespace adarun::trainer
