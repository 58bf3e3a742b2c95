// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/refusal.h"
#include "trainer/models/models.h"
#include "trainer/models/weights.h"
#include "trainer/planner/model/graph.h"

namespace adarun::trainer {
namespace {

Model lenet() {
  return model_named("lenet5", {1, 32, 10});
}

TEST(Model, HasTheTensorsAndValuesOfItsReference) {
  struct Case {
    const char* name;
    ModelShape shape;
    std::size_t tensors;
    std::size_t values;
  };
  const Case cases[] = {{"mlp", {1, 28, 10}, 6, 669706},
                        {"lenet5", {1, 32, 10}, 10, 61706},
                        {"resnet20", {3, 32, 10}, 65, 272474},
                        {"resnet18", {3, 224, 1000}, 62, 11689512},
                        {"resnet50", {3, 224, 1001}, 161, 25559081}};
  for (const Case& wanted : cases) {
    Weights weights(model_named(wanted.name, wanted.shape), 1);
    EXPECT_EQ(weights.counts().size(), wanted.tensors) << wanted.name;
    EXPECT_EQ(weights.values().size(), wanted.values) << wanted.name;
  }
}

/// Of models that would fill the memory.
TEST(Model, ListsTheTensorsAndValuesOfItsReference) {
  const auto values = [](const Model& model) {
    std::int64_t sum = 0;
    for (const TensorShape& tensor : model.parameters) sum += tensor.count();
    return sum;
  };
  const Model vgg = model_named("vgg16", {3, 224, 1000});
  EXPECT_EQ(vgg.parameters.size(), 32U);
  EXPECT_EQ(values(vgg), 138'357'544);
  EXPECT_EQ(vgg.parameters[26].name, "fc1.weight");
  EXPECT_EQ(vgg.parameters[26].count() + vgg.parameters[27].count(), 102'764'544);
  EXPECT_EQ(values(model_named("wide_mlp", {1, 28, 10})), 20'037'642);
}

TEST(Model, IsFoundByItsName) {
  for (const std::string& name : model_names()) {
    EXPECT_EQ(model_named(name, {1, default_side(name), 10}).name, name);
  }
  EXPECT_THROW(model_named("vgg", {}), Error);
}

TEST(Model, RefusesImagesThatAreTooSmallForIt) {
  EXPECT_EQ(testing_data::refusal(Exit::refused,
                                  [] {
                                    model_named("lenet5", {1, 8, 10});
                                  }),
            "model lenet5: cannot take images of 8x8 pixels (--image-size; usual is 32)");
}

TEST(Model, ScoresItsClasses) {
  for (const std::string& name : model_names()) {
    const Model model = model_named(name, {3, 64, 7});
    const Weights weights(model, 1);
    Layers layers(weights.tensors(), weights.buffer_tensors(), true);
    const torch::Tensor scores = model.forward(layers, torch::randn({2, 3, 64, 64}), 7);
    EXPECT_EQ(scores.sizes(), (std::vector<std::int64_t>{2, 7})) << name;
  }
}

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

TEST(Layers, HaveDenseOnesThatAreLinear) {
  const torch::Tensor x = torch::randn({5, 30});
  const std::vector<torch::Tensor> tensors = {torch::randn({7, 30}), torch::randn({7})};
  Layers layers(tensors, {}, true);
  // Sums of 30 products of float, in another order.
  EXPECT_TRUE(
      torch::allclose(layers.dense("fc", x, 7).values, torch::linear(x, tensors[0], tensors[1]), 1e-5, 1e-5));
}

TEST(Layers, NormalizeByTheBatchAndRememberItForMeasuring) {
  const torch::Tensor x = torch::randn({8, 2, 4, 4}) * 3 + 5;
  const std::vector<torch::Tensor> tensors = {torch::full({2}, 2.0), torch::full({2}, 1.0)};
  const std::vector<torch::Tensor> buffers = {torch::zeros({2}), torch::ones({2})};
  Layers learning(tensors, buffers, true);
  const torch::Tensor y = learning.batch_norm("bn", x).values;
  EXPECT_NEAR(y.mean().item<double>(), 1, 1e-4);
  EXPECT_NEAR(y.std(false).item<double>(), 2, 1e-3);
  const torch::Tensor mean = x.mean({0, 2, 3});
  EXPECT_TRUE(torch::allclose(buffers[0], 0.1 * mean, 1e-4, 1e-5));
  Layers measuring(tensors, buffers, false);
  const torch::Tensor scale = (buffers[1] + 1e-4).sqrt().view({1, 2, 1, 1});
  const torch::Tensor wanted = (x - buffers[0].view({1, 2, 1, 1})) / scale * 2 + 1;
  EXPECT_TRUE(torch::allclose(measuring.batch_norm("bn", x).values, wanted, 1e-4, 1e-4));
  EXPECT_TRUE(torch::allclose(buffers[0], 0.1 * mean, 1e-4, 1e-5)) << "measuring moved it";
}

TEST(Initializer, HasItsSpread) {
  struct Case {
    Initializer initial;
    double deviation;
    double most;
  };
  const Case cases[] = {{lecun_uniform(75), std::sqrt(1.0 / 75), std::sqrt(3.0 / 75)},
                        {xavier_uniform(20, 30), std::sqrt(2.0 / 50), std::sqrt(6.0 / 50)},
                        {kaiming_normal(50), std::sqrt(2.0 / 50), 1.2},
                        // A normal distribution cut at two deviations has 0.8796 of its deviation.
                        {truncated_normal(0.01), 0.008796, 0.02},
                        {constant(3), 0, 3}};
  for (const Case& wanted : cases) {
    std::vector<float> values(100000);
    Random random(5);
    draw(wanted.initial, random, values);
    const double mean = wanted.initial.kind == Initializer::Kind::constant ? 3 : 0;
    double square = 0;
    double most = 0;
    for (const float value : values) {
      square += (value - mean) * (value - mean);
      most = std::max(most, std::abs(double{value}));
    }
    // 100,000 draws: the error of the deviation is 0.2 %; 1 % allows enough.
    EXPECT_NEAR(std::sqrt(square / 100000), wanted.deviation, 0.01 * wanted.deviation);
    EXPECT_LE(most, wanted.most * 1.0001);
  }
}

TEST(Weights, ComeFromTheirSeed) {
  const auto sum = [](std::uint64_t seed) { return checksum(Weights(lenet(), seed).values()); };
  EXPECT_EQ(sum(1), sum(1));
  EXPECT_NE(sum(1), sum(2));
}

TEST(Weights, ChecksumDependsOnEachBit) {
  Weights weights(lenet(), 1);
  const std::uint64_t before = checksum(weights.values());
  float& last = weights.values().back();
  last = std::nextafter(last, 1.0F);
  EXPECT_NE(checksum(weights.values()), before);
}

TEST(Weights, DecayWhereTheyAreNoBiasAndNoNormalization) {
  for (const TensorShape& tensor : model_named("resnet20", {3, 32, 10}).parameters) {
    const bool wanted = tensor.name.ends_with("conv.weight") || tensor.name == "fc.weight";
    EXPECT_EQ(tensor.decays(), wanted) << tensor.name;
  }
}

}  // namespace
}  // namespace adarun::trainer
