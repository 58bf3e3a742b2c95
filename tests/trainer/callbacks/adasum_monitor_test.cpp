// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/adasum_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace adarun::trainer {
namespace {

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
