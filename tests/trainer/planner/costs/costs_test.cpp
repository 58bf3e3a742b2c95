// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/costs/costs.h"

#include <gtest/gtest.h>

namespace adarun::planner {
namespace {

/// Two nodes of two ranks: 1 us and 1 ns a byte within, 10 us and 10 ns a byte between, shared.
const LinkLevels nodes_of_two = {{"node", 2, 1e-6, 1e-9, 1}, {"cluster", 4, 10e-6, 10e-9, 2}};

/// A dense layer of 8 channels on 8, behind another one.
ModelGraph two_dense_layers() {
  Layer first{.name = "a", .out_channels = 8, .weights = 64};
  Layer second{.name = "b", .inputs = {0}, .out_channels = 8, .weights = 64};
  first.time = second.time = LayerTime{1e-3, 2e-3};
  return {"two", 8, 1, {first, second}};
}

TEST(ComputeTime, IsThatOfTheShareIfPartsWereNotMeasured) {
  const ClusterSetting setting{.ranks = 4, .batch = 1, .links = nodes_of_two};
  EXPECT_DOUBLE_EQ(cost(two_dense_layers(), 1, {4, 1, LayerSplit::none}, setting).compute_s, 3e-3);
  EXPECT_DOUBLE_EQ(cost(two_dense_layers(), 1, {1, 4, LayerSplit::inputs}, setting).compute_s, 3e-3);
}

TEST(ComputeTime, IsAsMeasuredForItsParts) {
  ModelGraph graph = two_dense_layers();
  graph.layers[1].part_times = {{LayerSplit::outputs, 2, {1e-4, 1e-4}},
                                {LayerSplit::inputs, 2, {2e-4, 4e-4}}};
  const ClusterSetting setting{.ranks = 4, .batch = 1, .links = nodes_of_two};
  // Two samples of a replica of two ranks, four of one of four ranks.
  EXPECT_DOUBLE_EQ(cost(graph, 1, {2, 2, LayerSplit::inputs}, setting).compute_s, 2 * 6e-4);
  EXPECT_DOUBLE_EQ(cost(graph, 1, {2, 2, LayerSplit::outputs}, setting).compute_s, 2 * 2e-4);
  EXPECT_DOUBLE_EQ(cost(graph, 1, {1, 4, LayerSplit::inputs}, setting).compute_s, 4 * 6e-4 / 2)
      << "half of two parts";
  EXPECT_DOUBLE_EQ(cost(graph, 1, {2, 2, LayerSplit::none}, setting).compute_s, 2 * 3e-3);
}

TEST(UpdateTime, IsThatOfTheWeightsOfARankAndOfTheHalvesThatAreCombined) {
  ModelGraph graph = two_dense_layers();
  graph.weight_time = WeightTime{1e-6, 1e-7};
  ClusterSetting setting{.ranks = 4, .batch = 1, .links = nodes_of_two};
  // 64 weights on each of four replicas: AdaSum of a half and a quarter of them. Or 16 of one replica.
  EXPECT_DOUBLE_EQ(cost(graph, 1, {4, 1, LayerSplit::none}, setting).update_s, 64e-6 + 48e-7);
  EXPECT_DOUBLE_EQ(cost(graph, 1, {2, 2, LayerSplit::outputs}, setting).update_s, 32e-6 + 16e-7);
  EXPECT_DOUBLE_EQ(cost(graph, 1, {1, 4, LayerSplit::inputs}, setting).update_s, 16e-6);
  setting.reduce = GradientReduce::mean;
  EXPECT_DOUBLE_EQ(cost(graph, 1, {4, 1, LayerSplit::none}, setting).update_s, 64e-6);
}

TEST(UpdateTime, IsThatOfItsOperationsIfNotMeasured) {
  const ClusterSetting setting{
      .ranks = 2, .batch = 1, .optimizer_slots = 2, .operations_per_s = 1e6, .links = nodes_of_two};
  // Adam: 2 and 2 for each of its two numbers. AdaSum of a half: 9.
  EXPECT_DOUBLE_EQ(cost(two_dense_layers(), 1, {2, 1, LayerSplit::none}, setting).update_s,
                   64 * (6 + 4.5) * 1e-6);
}

TEST(Memory, HasTwoCopiesOfNewGradientsForAWhile) {
  const ClusterSetting setting{.ranks = 4, .batch = 1, .links = nodes_of_two};
  EXPECT_EQ(cost(two_dense_layers(), 1, {4, 1, LayerSplit::none}, setting).workspace_bytes, 2 * 64 * 4);
  EXPECT_EQ(cost(two_dense_layers(), 1, {2, 2, LayerSplit::inputs}, setting).workspace_bytes, 2 * 32 * 4);
}

TEST(Memory, HasTheActivationsOfOnePass) {
  ClusterSetting setting{.ranks = 4, .batch = 8, .links = nodes_of_two};
  const LayerCost at_once = cost(two_dense_layers(), 1, {4, 1, LayerSplit::none}, setting);
  EXPECT_DOUBLE_EQ(at_once.kept_bytes, 8 * 8 * 4) << "8 values of 4 bytes of 8 samples";
  setting.passes = 4;
  const LayerCost in_parts = cost(two_dense_layers(), 1, {4, 1, LayerSplit::none}, setting);
  EXPECT_DOUBLE_EQ(in_parts.kept_bytes, 2 * 8 * 4);
  EXPECT_EQ(in_parts.state_bytes, at_once.state_bytes);
  EXPECT_EQ(in_parts.seconds(), at_once.seconds());
}

TEST(Messages, AreOfEachPass) {
  ClusterSetting setting{.ranks = 4, .batch = 8, .links = nodes_of_two};
  const Strategy split{1, 4, LayerSplit::inputs};
  const LayerCost at_once = cost(two_dense_layers(), 1, split, setting);
  // 32 samples of 8 values: 2 messages to the near rank and 4 to the others, a quarter each.
  EXPECT_EQ(at_once.outputs.traffic, (Traffic{{{2, 512}, {4, 1024}}}));
  setting.passes = 4;
  const LayerCost in_parts = cost(two_dense_layers(), 1, split, setting);
  EXPECT_EQ(in_parts.outputs.traffic, (Traffic{{{8, 512}, {16, 1024}}}));
  EXPECT_DOUBLE_EQ(in_parts.outputs.seconds - at_once.outputs.seconds, 6 * 1e-6 + 12 * 10e-6);
  EXPECT_EQ(in_parts.gradients.traffic, at_once.gradients.traffic);
  const ActivationLayout whole{4, 1, Channels::all};
  const ActivationLayout parts{1, 4, Channels::part};
  EXPECT_EQ(change_cost(two_dense_layers(), 0, whole, parts, setting).traffic.messages(), 4 * 6);
}

/// Three nodes of four ranks.
const LinkLevels nodes_of_four = {{"node", 4, 1e-6, 1e-9, 1}, {"cluster", 12, 10e-6, 10e-9, 4}};

// Of ranks 3, 4 and 5 the first one is alone on its node; of ranks 0, 3, 6 and 9 the last two are.
TEST(Traffic, IsThatOfTheRankWithTheFewestNearOnesWhereGroupsAndNodesDoNotFit) {
  EXPECT_EQ(direct_allreduce({3, 1}, 300, nodes_of_four), (Traffic{{{0, 0}, {4, 400}}}));
  EXPECT_EQ(direct_allreduce({6, 1}, 600, nodes_of_four), (Traffic{{{2, 200}, {8, 800}}}));
  EXPECT_EQ(halving_allreduce({4, 3}, 400, nodes_of_four), (Traffic{{{0, 0}, {4, 600}}}));
  EXPECT_EQ(direct_allreduce({2, 1}, 200, nodes_of_four), (Traffic{{{2, 200}, {0, 0}}}));
  const ClusterSetting setting{.ranks = 12, .batch = 1, .links = nodes_of_four};
  const ActivationLayout whole{4, 3, Channels::all};
  const ActivationLayout parts{4, 3, Channels::part};
  // Back from parts, a rank takes two other parts; on one node: ranks 0, 1 and 2.
  EXPECT_EQ(change_cost(two_dense_layers(), 0, parts, whole, setting).traffic.levels[1].messages, 2);
}

TEST(Gradients, OfAMeanGoRoundARing) {
  ClusterSetting setting{.ranks = 4, .batch = 1, .links = nodes_of_two, .reduce = GradientReduce::mean};
  const Communication flat = cost(two_dense_layers(), 0, {4, 1, LayerSplit::none}, setting).gradients;
  // 256 bytes: 6 messages of a quarter, of which one rank of each node sends to the other node.
  EXPECT_EQ(flat.traffic, (Traffic{{{0, 0}, {6, 384}}}));
  EXPECT_DOUBLE_EQ(flat.seconds, 6 * 10e-6 + 384 * 10e-9);
  // Two rings of two ranks on two nodes, of half the weights each, share the link.
  const Communication halves = cost(two_dense_layers(), 0, {2, 2, LayerSplit::outputs}, setting).gradients;
  EXPECT_EQ(halves.traffic, (Traffic{{{0, 0}, {2, 128}}}));
  EXPECT_DOUBLE_EQ(halves.seconds, 2 * 10e-6 + 2 * 128 * 10e-9);
  EXPECT_EQ(cost(two_dense_layers(), 0, {1, 4, LayerSplit::outputs}, setting).gradients.traffic.messages(),
            0);
}

}  // namespace
}  // namespace adarun::planner
