// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/plan_json.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/trainer/refusal.h"

namespace adarun::planner {
namespace {

using trainer::testing_data::refusal;

ModelGraph graph() {
  return {"mlp",
          1,
          784,
          {{.name = "fc1", .out_channels = 512, .weights = 401'408, .vectors = 512, .operations = 802'816},
           {.name = "fc2",
            .inputs = {0},
            .out_channels = 512,
            .weights = 262'144,
            .vectors = 512,
            .operations = 524'288},
           {.name = "fc3",
            .inputs = {1},
            .out_channels = 10,
            .weights = 5'120,
            .vectors = 10,
            .operations = 10'240}}};
}

PlanReport report() {
  const ClusterSetting setting{.ranks = 4, .links = {{"all", 4, 1e-6, 1e-6, 1}}};
  return make_report(graph(), setting, Search::dp, no_limit);
}

/// A plan by hand: these members of its three layers.
std::string by_hand(const std::string& fc1, const std::string& fc2, const std::string& fc3) {
  return R"({"schema": "adarun-plan-1", "model": "mlp", "ranks": 4, "batch": 32, "layers": [{"name": "fc1", )" +
         fc1 + R"(}, {"name": "fc2", )" + fc2 + R"(}, {"name": "fc3", )" + fc3 + "}]}";
}

constexpr const char* data = R"("replicas": 4, "parts": 1, "split": "none")";

std::string plan_message(const std::string& text, std::int64_t ranks = 4, const ModelGraph& of = graph()) {
  return refusal<Error>([&] { strategies_for(read_plan(text, "p.json"), "p.json", of, ranks); });
}

TEST(PlanJson, IsReadAsItWasWritten) {
  const PlanReport of = report();
  const StoredPlan stored = read_plan(write_plan(of), "p.json");
  EXPECT_EQ(stored.model, "mlp");
  EXPECT_EQ(stored.ranks, 4);
  const auto strategies = strategies_for(stored, "p.json", graph(), 4);
  for (std::size_t l = 0; l < strategies.size(); ++l) EXPECT_EQ(strategies[l], of.plan.layers[l].strategy);
  EXPECT_GT(strategies[1].parts, 1) << "data parallel tells nothing";
}

TEST(PlanJson, MayBeWrittenByHand) {
  const std::string text = by_hand(R"("replicas": 2, "parts": 2, "split": "outputs")",
                                   R"("replicas": 2, "parts": 2, "split": "inputs")", data);
  const std::vector<Strategy> wanted{
      {2, 2, LayerSplit::outputs}, {2, 2, LayerSplit::inputs}, {4, 1, LayerSplit::none}};
  EXPECT_EQ(strategies_for(read_plan(text, "p.json"), "p.json", graph(), 4), wanted);
}

TEST(PlanJson, IsRefusedForAnotherModelWorldOrIfItCannotWork) {
  const std::string good = by_hand(data, data, data);
  EXPECT_EQ(plan_message(good), "accepted");
  ModelGraph other = graph();
  other.model = "lenet5";
  EXPECT_EQ(plan_message(good, 4, other), "p.json: a plan for model \"mlp\", and this is \"lenet5\"");
  EXPECT_EQ(plan_message(good, 8), "p.json: a plan for 4 ranks, and there are 8");
  other.model = "two\nlines";
  EXPECT_EQ(plan_message(good, 4, other).find('\n'), std::string::npos);
  ModelGraph longer = graph();
  longer.layers.push_back({.name = "fc4", .inputs = {2}});
  EXPECT_EQ(plan_message(good, 4, longer), "p.json: a plan of 3 layers, and model mlp has 4");
  ModelGraph renamed = graph();
  renamed.layers[1].name = "hidden";
  EXPECT_EQ(plan_message(good, 4, renamed),
            "p.json: layers[1]: \"fc2\", and layer 1 of the model is \"hidden\"");
  EXPECT_EQ(plan_message(by_hand(data, R"("replicas": 3, "parts": 1, "split": "none")", data)),
            "p.json: layers[1]: \"fc2\": data 3: 3 x 1 is not 4 ranks");
  EXPECT_EQ(plan_message(by_hand(R"("replicas": 2, "parts": 2, "split": "inputs")", data, data)),
            "p.json: layers[0]: \"fc1\": inputs 2x2: the channels of images are not split");
  EXPECT_EQ(plan_message(by_hand(data, data, R"("replicas": 4, "parts": 1, "split": "outputs")")),
            "p.json: layers[2]: \"fc3\": data 4: nothing is split in 1 part: \"split\" has to be \"none\"");
  EXPECT_EQ(plan_message(by_hand(data, R"("replicas": 2, "parts": 2, "split": "rows")", data)),
            "p.json: layers[1]: split: \"rows\": not none, outputs or inputs");
  const std::string sixteen = R"("replicas": 1, "parts": 16, "split": "none")";
  std::string large = by_hand(sixteen, sixteen, R"("replicas": 1, "parts": 16, "split": "outputs")");
  large.replace(large.find("\"ranks\": 4"), 10, "\"ranks\": 16");
  EXPECT_EQ(plan_message(large, 16),
            "p.json: layers[2]: \"fc3\": outputs 1x16: 16 parts of 10 channels would be empty");
}

}  // namespace
}  // namespace adarun::planner
