// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trainer/models/model.h"
#include "trainer/models/models.h"
#include "trainer/planner/model/graph.h"

namespace adarun::trainer {
namespace {

using planner::Layer;
using planner::LayerKind;

TEST(ModelGraph, HasTheLayersOfLenet5WithWhatFollowsThem) {
  const planner::ModelGraph graph = model_named("lenet5", {1, 32, 10}).graph;
  EXPECT_EQ(graph.model, "lenet5");
  EXPECT_EQ(graph.image_channels, 1);
  EXPECT_EQ(graph.image_values, 1024);
  ASSERT_EQ(graph.layers.size(), 5U);
  const Layer conv1{.name = "conv1",
                    .kind = LayerKind::convolution,
                    .inputs = {},
                    .out_channels = 6,
                    .out_values = 784,
                    .result_values = 196,
                    .kept_values = 49,  // a byte for each place
                    .weights = 150,
                    .vectors = 6,
                    .operations = 2.0 * 150 * 784};
  EXPECT_EQ(graph.layers[0], conv1);
  // A dense layer takes 25 features of each channel of the convolution before it.
  EXPECT_EQ(graph.in_channels(2), 16);
  EXPECT_EQ(graph.in_values(2), 25);
  EXPECT_EQ(graph.layers[2].weights, 400 * 120);
  EXPECT_EQ(graph.layers[4].out_channels, 10);
}

TEST(ModelGraph, HasSumsAtTheEndsOfResidualBlocks) {
  const planner::ModelGraph graph = model_named("resnet20", {3, 32, 10}).graph;
  int sums = 0;
  for (const Layer& layer : graph.layers) {
    if (layer.kind != LayerKind::sum) continue;
    ++sums;
    ASSERT_EQ(layer.inputs.size(), 2U) << layer.name;
    EXPECT_EQ(graph.layers[layer.inputs[0]].out_channels, layer.out_channels);
    EXPECT_EQ(graph.layers[layer.inputs[1]].result_values, layer.out_values);
  }
  EXPECT_EQ(sums, 9);
  EXPECT_EQ(graph.layers.size(), 1 + 9 * 3 + 2 + 1U);  // the stem, blocks, shortcuts, scores
}

TEST(ModelGraph, HasAllTensorsOfTheModel) {
  for (const std::string& name : model_names()) {
    const Model model = model_named(name, {3, 64, 7});
    std::int64_t of_model = 0;
    for (const TensorShape& tensor : model.parameters) {
      of_model += tensor.count();
      EXPECT_LT(tensor.layer, model.graph.layers.size()) << tensor.name;
    }
    std::int64_t of_layers = 0;
    for (const Layer& layer : model.graph.layers) of_layers += layer.weights + layer.vectors;
    EXPECT_EQ(of_layers, of_model) << name;
  }
}

}  // namespace
}  // namespace adarun::trainer
