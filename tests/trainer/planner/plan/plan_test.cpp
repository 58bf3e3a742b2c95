// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/trainer/refusal.h"

namespace adarun::planner {
namespace {

using trainer::testing_data::refusal;

/// Two nodes of eight ranks; links between nodes are slow.
ClusterSetting two_nodes() {
  return {.ranks = 16, .batch = 32, .links = {{"node", 8, 1e-6, 1e-10, 1}, {"cluster", 16, 5e-5, 8e-9, 8}}};
}

Layer dense(const std::string& name, std::vector<std::size_t> inputs, std::int64_t in, std::int64_t out) {
  return {.name = name,
          .kind = LayerKind::dense,
          .inputs = std::move(inputs),
          .out_channels = out,
          .kept_values = 1,
          .weights = in * out,
          .vectors = out,
          .operations = 2.0 * static_cast<double>(in * out)};
}

ModelGraph wide_mlp() {
  return {"wide",
          1,
          784,
          {dense("fc1", {}, 784, 4096), dense("fc2", {0}, 4096, 4096), dense("fc3", {1}, 4096, 10)}};
}

/// Small images, many of them, few weights.
ModelGraph convolutions() {
  ModelGraph graph{"conv", 3, 1024, {}};
  for (std::size_t l = 0; l < 3; ++l) {
    const std::int64_t in = l == 0 ? 3 : 16;
    graph.layers.push_back({.name = "conv" + std::to_string(l + 1),
                            .kind = LayerKind::convolution,
                            .inputs = l == 0 ? std::vector<std::size_t>{} : std::vector{l - 1},
                            .out_channels = 16,
                            .out_values = 1024,
                            .result_values = 1024,
                            .kept_values = 2048,
                            .weights = in * 16 * 9,
                            .vectors = 16,
                            .operations = 2.0 * 9 * 1024 * 16 * static_cast<double>(in)});
  }
  return graph;
}

TEST(Plan, SplitsLayersWithManyWeightsWhereLinksAreSlow) {
  ClusterSetting setting = two_nodes();
  setting.batch = 4;
  const ParallelPlan plan = make_plan(wide_mlp(), setting);
  EXPECT_LT(plan.seconds(), 0.4 * data_parallel(wide_mlp(), setting).seconds());
  EXPECT_GT(plan.layers[1].strategy.parts, 1);
}

TEST(Plan, IsDataParallelWhereWeightsAreFew) {
  for (const PlannedLayer& layer : make_plan(convolutions(), two_nodes()).layers)
    EXPECT_EQ(layer.strategy, (Strategy{16, 1, LayerSplit::none})) << layer.name;
}

TEST(Plan, SplitsTwoLayersInARowByOutputsAndThenByInputsWithoutAChangeBetweenThem) {
  ClusterSetting setting = two_nodes();
  setting.links = {{"all", 16, 1e-6, 1e-8, 1}};
  const std::vector<Strategy> chosen{
      {4, 4, LayerSplit::outputs}, {4, 4, LayerSplit::inputs}, {4, 4, LayerSplit::none}};
  const ParallelPlan plan = plan_of(wide_mlp(), setting, chosen);
  EXPECT_EQ(plan.layers[1].change.traffic.bytes(), 0);
  EXPECT_EQ(plan.layers[1].cost.inputs.traffic.bytes(), 0);
  // 128 samples of a replica, 4,096 floats each: to each of three others a fourth, twice.
  EXPECT_EQ(plan.layers[1].cost.outputs.traffic.bytes(), 2 * 3 * 128 * 4096 * 4 / 4);
  EXPECT_EQ(plan.layers[1].cost.outputs.traffic.messages(), 6);
}

TEST(Plan, NeedsTheLargestWorkspaceOfItsLayers) {
  const ParallelPlan plan = data_parallel(wide_mlp(), two_nodes());
  double bytes = 0;
  for (const PlannedLayer& layer : plan.layers) bytes += layer.cost.memory_bytes();
  EXPECT_DOUBLE_EQ(plan.memory_bytes(), bytes + 2 * (4096 * 4096 + 4096) * 4.0) << "of fc2";
}

TEST(Plan, FitsTheMemory) {
  const ClusterSetting setting = two_nodes();
  EXPECT_GT(data_parallel(wide_mlp(), setting).memory_bytes(), 60e6);
  EXPECT_LE(make_plan(wide_mlp(), setting, Search::dp, 60e6).memory_bytes(), 60e6);
}

TEST(Plan, SaysWhatIsWantedWhereNoneFits) {
  EXPECT_THAT(refusal<Error>([] { make_plan(wide_mlp(), two_nodes(), Search::dp, 1e6); }),
              testing::HasSubstr("model wide: no plan for 16 ranks needs less than"));
}

TEST(Plan, HasNoRoomWhereMoreIsTakenThanThereIs) {
  EXPECT_THAT(refusal<Error>([] { make_plan(wide_mlp(), two_nodes(), Search::dp, -1e6); }),
              testing::EndsWith(", and the limit is 0 bytes"));
}

/// A random graph of `layers` layers: dense layers, convolutions and sums of equal inputs.
ModelGraph random_graph(std::size_t layers, std::mt19937& random) {
  const auto number = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  ModelGraph graph{"random", 3, 64, {}};
  for (std::size_t l = 0; l < layers; ++l) {
    Layer layer;
    layer.name = "layer" + std::to_string(l);
    const std::size_t input = l == 0 ? 0 : static_cast<std::size_t>(number(0, static_cast<int>(l) - 1));
    if (l > 0) layer.inputs = {input};
    layer.out_channels = number(1, 64);
    layer.out_values = layer.result_values = number(1, 32);
    for (std::size_t other = 0; l > 1 && other < l; ++other) {
      const Layer& a = graph.layers[other];
      const Layer& b = graph.layers[input];
      if (other == input || a.out_channels != b.out_channels || a.result_values != b.result_values) continue;
      layer = {layer.name, LayerKind::sum, {input, other}, a.out_channels, a.result_values, a.result_values};
    }
    graph.layers.push_back(layer);
    Layer& added = graph.layers.back();
    if (added.kind == LayerKind::sum) continue;
    if (l > 0 && number(0, 2) == 0) {  // so that sums are possible
      added.out_channels = graph.layers[input].out_channels;
      added.out_values = added.result_values = graph.layers[input].result_values;
    }
    added.weights = graph.in_channels(l) * added.out_channels * number(1, 400);
    added.vectors = added.out_channels;
    added.kept_values = number(1, 64);
    added.operations = number(1, 1'000'000);
  }
  return graph;
}

TEST(Plan, IsAsFastAsTheBestOfAllPlans) {
  std::mt19937 random(20);
  int with_sums = 0;
  int split = 0;
  for (int round = 0; round < 40; ++round) {
    const ModelGraph graph = random_graph(1 + static_cast<std::size_t>(round) % 8, random);
    ClusterSetting setting{.ranks = round % 2 == 0 ? 4 : 2,
                           .batch = 8,
                           .links = {{"node", 2, 1e-6, 1e-9, 1}, {"cluster", 4, 1e-5, 4e-8, 2}}};
    const ParallelPlan best = make_plan(graph, setting, Search::exhaustive);
    const ParallelPlan plan = make_plan(graph, setting);
    EXPECT_DOUBLE_EQ(plan.seconds(), best.seconds()) << round;
    const double limit = (best.memory_bytes() + data_parallel(graph, setting).memory_bytes()) / 2.2;
    try {
      const ParallelPlan small = make_plan(graph, setting, Search::exhaustive, limit);
      EXPECT_DOUBLE_EQ(make_plan(graph, setting, Search::dp, limit).seconds(), small.seconds()) << round;
    } catch (const Error&) {
      EXPECT_THROW(make_plan(graph, setting, Search::dp, limit), Error);
    }
    for (std::size_t l = 0; l < graph.layers.size(); ++l) {
      if (graph.layers[l].kind == LayerKind::sum) ++with_sums;
      if (plan.layers[l].strategy.parts > 1) ++split;
    }
  }
  EXPECT_GT(with_sums, 5);
  EXPECT_GT(split, 20);
}

TEST(Plan, FoundRecursivelyIsNotSlowerThanDataParallelNorFasterThanTheBest) {
  std::mt19937 random(21);
  for (int round = 0; round < 40; ++round) {
    const ModelGraph graph = random_graph(1 + static_cast<std::size_t>(round) % 8, random);
    const ClusterSetting setting = two_nodes();
    const double recursive = make_plan(graph, setting, Search::recursive).seconds();
    EXPECT_LE(recursive, data_parallel(graph, setting).seconds());
    EXPECT_GE(recursive, make_plan(graph, setting).seconds() * (1 - 1e-12));
  }
}

TEST(Plan, IsNotSearchedExhaustivelyForHours) {
  ModelGraph graph = wide_mlp();
  for (std::size_t l = 2; l < 12; ++l) graph.layers.push_back(dense("more" + std::to_string(l), {l}, 10, 10));
  EXPECT_THROW(make_plan(graph, two_nodes(), Search::exhaustive), Error);
}

}  // namespace
}  // namespace adarun::planner
