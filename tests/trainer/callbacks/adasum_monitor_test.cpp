// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trainer/callbacks/adasum_monitor.h"

namespace adarun::trainer {
namespace {

TEST(LayerDiagnostics, TellWhatAdasumSawOfTheLayers) {
  // Two that are orthogonal; and two of which one is twice the other, with a result that is half of their
  // sum.
  const std::vector<adasum::TensorDiagnostics> tensors = {
      {.norms = {3, 4}, .cosines = {1, 0, 0, 1}, .coefficients = {1, 1}, .to_sum = 1, .orthogonality = 1},
      {.norms = {1, 2},
       .cosines = {1, 1, 1, 1},
       .coefficients = {0, 0.75},
       .to_sum = 0.5,
       .orthogonality = 0.45}};
  const std::vector<LayerDiagnostics> layers = layer_diagnostics({"a", "b"}, tensors);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[1].name, "b");
  EXPECT_DOUBLE_EQ(layers[0].cosine, 0);
  EXPECT_DOUBLE_EQ(layers[1].cosine, 1);
  EXPECT_DOUBLE_EQ(layers[1].to_sum, 0.5);
  EXPECT_EQ(adasum_line(2, 30, layers),
            "adasum: epoch 2 step 30, orthogonality 0.725 (0.450 b - 1.000 a), cosine 0.500");
}

TEST(LayerDiagnostics, OfAGroupOfTensorsHaveTheLastNames) {
  const std::vector<LayerDiagnostics> layers =
      layer_diagnostics({"a", "b", "c"}, std::vector<adasum::TensorDiagnostics>(2));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].name, "b");
  EXPECT_EQ(layers[1].name, "c");
}

using SeenTensors = std::vector<adasum::TensorDiagnostics>;

/// The lines of ten steps of an epoch, one of them due at every third. `of_step`: the diagnostics of a step;
/// the steps `dropped` are skipped.
std::vector<std::string> monitor_lines(const std::function<std::optional<SeenTensors>(int step)>& of_step,
                                       const std::vector<int>& dropped = {}) {
  std::vector<std::string> lines;
  int step = 0;
  AdasumMonitor monitor([&](const std::string& line) { lines.push_back(line); }, {"a"},
                        [&] { return of_step(step); }, 3, nullptr);
  for (step = 1; step <= 10; ++step) {
    const Progress progress{.epoch = 1, .step = step};
    if (std::ranges::count(dropped, step) > 0) monitor.step_dropped(progress, 0, 512);
    monitor.step_end(progress);
  }
  return lines;
}

std::string diagnostics_line(int step) {
  return "adasum: epoch 1 step " + std::to_string(step) +
         ", orthogonality 0.000 (0.000 a - 0.000 a), cosine 1.000";
}

TEST(AdasumMonitor, PrintsEverySoManySteps) {
  EXPECT_EQ(monitor_lines([](int) { return SeenTensors(1); }),
            (std::vector{diagnostics_line(3), diagnostics_line(6), diagnostics_line(9)}));
}

TEST(AdasumMonitor, PrintsAtTheNextCombinationWhereRanksTakeLocalSteps) {
  const auto at_fourths = [](int step) {
    return step % 4 == 0 ? std::optional(SeenTensors(1)) : std::nullopt;
  };
  EXPECT_EQ(monitor_lines(at_fourths), (std::vector{diagnostics_line(4), diagnostics_line(8)}));
}

TEST(AdasumMonitor, PrintsAtTheNextStepWhereOneWasSkipped) {
  EXPECT_EQ(monitor_lines([](int) { return SeenTensors(1); }, {3, 9, 10}),
            (std::vector{diagnostics_line(4), diagnostics_line(6)}));
}

TEST(AdasumMonitor, SaysOnceThatThereAreNone) {
  EXPECT_EQ(
      monitor_lines([](int) { return SeenTensors(); }),
      std::vector<std::string>{
          "adasum: nothing is seen of single layers here (more than 16 ranks or groups, or several nodes)"});
}

}  // namespace

}  // namespace adarun::trainer
