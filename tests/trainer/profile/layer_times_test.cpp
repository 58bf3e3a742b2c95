// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/layer_times.h"

#include <gtest/gtest.h>

#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

TEST(MeasureLayers, GivesEachLayerATimeAndChangesNothingElse) {
  for (const char* name : {"lenet5", "resnet20"}) {
    const Model model = model_named(name, {3, 32, 10});
    planner::ModelGraph measured = measure_layers(model, {.batch_size = 2, .passes = 3});
    for (planner::Layer& layer : measured.layers) {
      ASSERT_TRUE(layer.time) << layer.name;
      EXPECT_GT(layer.time->forward_s, 0) << layer.name;
      EXPECT_GT(layer.time->backward_s, 0) << layer.name;
      layer.time.reset();
    }
    EXPECT_EQ(measured, model.graph);
  }
}

}  // namespace
}  // namespace adarun::trainer
