// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/plan/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace adarun::planner {
namespace {

ModelGraph one_layer() {
  return {"one",
          1,
          1000,
          {{.name = "fc",
            .out_channels = 1000,
            .kept_values = 1,
            .weights = 1'000'000,
            .vectors = 1000,
            .operations = 2e6}}};
}

ClusterSetting of_two(double byte_s) {
  return {.ranks = 2, .batch = 4, .operations_per_s = 1e9, .links = {{"cluster", 2, 0, byte_s, 1}}};
}

TEST(PlanReport, SaysWhatTakesMostOfAStep) {
  const PlanReport computing = make_report(one_layer(), of_two(1e-12), Search::dp, no_limit);
  EXPECT_EQ(bound_by(computing), BoundBy::compute);
  EXPECT_EQ(describe_bound(computing), "computing: 100 % of a step");
  // With such links one layer is split, and no gradient of images is wanted: nothing is sent.
  EXPECT_EQ(make_report(one_layer(), of_two(1), Search::dp, no_limit).plan.layers[0].strategy.parts, 2);
  const PlanReport sending = report_on(one_layer(), of_two(1), {{2, 1, LayerSplit::none}});
  EXPECT_EQ(bound_by(sending), BoundBy::links);
  EXPECT_EQ(describe_bound(sending), "links of level cluster: 100 % of a step");
}

TEST(PlanReport, SaysThatAFasterPlanDoesNotFit) {
  ModelGraph graph = one_layer();
  graph.layers[0].kept_values = 0;
  graph.weight_time = WeightTime{};
  graph.layers.push_back({.name = "next",
                          .inputs = {0},
                          .out_channels = 1000,
                          .weights = 1'000'000,
                          .vectors = 1000,
                          .operations = 2e6});
  ClusterSetting setting = of_two(1e-10);
  setting.batch = 1100;  // activations of two layers are more to send than the gradients of one
  const double fastest = make_plan(graph, setting).memory_bytes();
  const PlanReport report = make_report(graph, setting, Search::dp, 0.99 * fastest);
  EXPECT_EQ(bound_by(report), BoundBy::memory);
  EXPECT_NE(describe_bound(report).find("memory: a step without the limit takes"), std::string::npos);
}

// In a ring one rank of a node sends to another node at a time, so it has the link for itself.
TEST(PlanReport, CountsTheTimeOfARingOnce) {
  const ClusterSetting setting{.ranks = 16,
                               .batch = 16,
                               .operations_per_s = 1e8,
                               .links = {{"node", 8, 0, 1e-10, 1}, {"cluster", 16, 0, 1e-8, 8}},
                               .reduce = GradientReduce::mean};
  PlanReport report = make_report(one_layer(), setting, Search::dp, no_limit);
  report.plan = report.without_limit = report.data_parallel;
  const LayerCost& cost = report.plan.layers[0].cost;
  const double share = 100 * (cost.compute_s + cost.update_s) / report.plan.seconds();
  EXPECT_GT(share, 50);
  EXPECT_LT(share, 99);
  EXPECT_EQ(describe_bound(report), "computing: " + std::to_string(std::lround(share)) + " % of a step");
}

TEST(PlanReport, HasRowsThatAddUp) {
  const auto table = rows(make_report(one_layer(), of_two(1e-6), Search::dp, no_limit).data_parallel);
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[1][1], "data 2");
  for (std::size_t column = 2; column + 1 < table[0].size(); ++column)
    EXPECT_EQ(table[1][column], table[2][column]);
  // 1,001,000 gradients of 4 bytes: half of them sent, and half of the sum.
  EXPECT_EQ(table[0][8], "sent MB");
  EXPECT_EQ(table[2][8], "4.00");
  // Weights, gradients and momenta, and for a while twice the new gradients; 8,000 bytes are kept of a
  // sample.
  EXPECT_EQ(table[1][9], "12.04");
  EXPECT_EQ(table[2][9], "20.05");
}

}  // namespace
}  // namespace adarun::planner
