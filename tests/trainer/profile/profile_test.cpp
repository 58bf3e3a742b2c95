// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainer/models/models.h"
#include "trainer/planner/model/strategy.h"
#include "trainer/profile/profile.h"

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

TEST(MeasureLayers, MeasuresThePartsThatLayersCanBeSplitInto) {
  const Model model = model_named("resnet20", {3, 32, 10});
  const planner::ModelGraph measured = measure_layers(model, {.batch_size = 1, .passes = 1, .parts = 4});
  for (std::size_t layer = 0; layer < measured.layers.size(); ++layer) {
    std::vector<std::string> found;
    for (const planner::PartTime& part : measured.layers[layer].part_times) {
      EXPECT_GT(part.time.forward_s, 0) << measured.layers[layer].name;
      EXPECT_GT(part.time.backward_s, 0) << measured.layers[layer].name;
      found.push_back(planner::describe({1, part.parts, part.split}));
    }
    std::vector<std::string> wanted;
    for (const int parts : {2, 4}) {
      const auto allowed = planner::strategies(model.graph, layer, parts);
      for (const planner::LayerSplit split : {planner::LayerSplit::outputs, planner::LayerSplit::inputs}) {
        const planner::Strategy strategy{1, parts, split};
        if (std::ranges::find(allowed, strategy) != allowed.end())
          wanted.push_back(planner::describe(strategy));
      }
    }
    EXPECT_EQ(found, wanted) << measured.layers[layer].name;
  }
}

TEST(MeasureWeightTime, GivesTheTimesOfOneWeight) {
  const planner::WeightTime time = measure_weight_time(model_named("lenet5", {1, 32, 10}), 3);
  EXPECT_GT(time.update_s, 0);
  EXPECT_GT(time.combine_s, 0);
  EXPECT_TRUE(std::isfinite(time.update_s + time.combine_s));
}

}  // namespace

}  // namespace adarun::trainer
