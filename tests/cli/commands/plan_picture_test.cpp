// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan_picture.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace adarun::cli {
namespace {

TEST(PlanPicture, NamesEachLayerAndItsStrategy) {
  planner::Layer first{.name = "fc1", .out_channels = 8, .weights = 64, .operations = 1e6};
  planner::Layer second{.name = "fc2", .inputs = {0}, .out_channels = 8, .weights = 64, .operations = 1e6};
  const planner::ModelGraph graph{"two", 8, 1, {first, second}};
  const planner::ClusterSetting setting{.ranks = 4, .batch = 2, .links = {{"node", 4, 1e-6, 1e-9, 1}}};
  const std::vector<planner::Strategy> strategies = {{2, 2, planner::LayerSplit::outputs},
                                                     {1, 4, planner::LayerSplit::inputs}};
  std::string words;
  std::size_t areas = 0;
  const monitor::plot::Scene scene = plan_picture(planner::report_on(graph, setting, strategies));
  for (const auto& shape : scene.shapes) {
    if (const auto* label = std::get_if<monitor::plot::TextLabel>(&shape)) {
      words += label->text + '\n';
      const double end = label->at.x + 0.7 * label->size * static_cast<double>(label->text.size());
      EXPECT_LE(end, scene.width) << label->text;
    }
    if (std::holds_alternative<monitor::plot::Area>(shape)) ++areas;
  }
  for (const char* word : {"two on 4 ranks, 2 samples each", "fc1\noutputs 2x2\n", "fc2\ninputs 1x4\n",
                           "this plan\n", "data parallel\n", "gradients\n", "update\n"})
    EXPECT_NE(words.find(word), std::string::npos) << word << " in\n" << words;
  EXPECT_GE(areas, 5U + 2 + 4 + 4) << "legend, parts of both layers, bars";
}

}  // namespace
}  // namespace adarun::cli
