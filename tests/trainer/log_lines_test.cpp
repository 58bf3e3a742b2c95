// SPDX-License-Identifier: Apache-2.0
#include "trainer/log_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "trainer/callbacks/layers_seen.h"
#include "trainer/callbacks/loss_monitor.h"
#include "trainer/error.h"

namespace adarun::trainer {
namespace {

TEST(LogLines, AreThoseThatUsersKnow) {
  EXPECT_EQ(starting_line(), "============== Starting Training ==============");
  EXPECT_EQ(loss_line(1, 100, 7.793933868408203F), "epoch: 1 step: 100, loss is 7.793933868408203");
  EXPECT_EQ(epoch_time_line(Milliseconds(1234.5674), 100),
            "Train epoch time: 1234.567 ms, per step time: 12.346 ms");
  EXPECT_EQ(eval_line(3, 0.9871), "Eval result: epoch 3, metrics: {'accuracy': 0.9871}");
  EXPECT_EQ(eval_line(3, 20, 0.9871), "Eval result: epoch 3 step 20, metrics: {'accuracy': 0.9871}");
  EXPECT_EQ(
      not_finite_line(2, 17),
      "In epoch: 2 step: 17, loss is NAN or INF, training process cannot continue, terminating training.");
  EXPECT_EQ(not_finite_gradient_line(2, 17, 3),
            "In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, training process cannot continue, "
            "terminating training.");
  EXPECT_EQ(step_dropped_line(2, 17, 3, 512),
            "In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, step left out, loss scale is 512.0");
}

TEST(LogLines, TellWhatAdasumSawOfTheLayers) {
  // Two that are orthogonal, and two of which one is twice the other, of whose sum a half is the result.
  const std::vector<adasum::TensorDiagnostics> tensors = {
      {.norms = {3, 4}, .cosines = {1, 0, 0, 1}, .coefficients = {1, 1}, .to_sum = 1, .orthogonality = 1},
      {.norms = {1, 2},
       .cosines = {1, 1, 1, 1},
       .coefficients = {0, 0.75},
       .to_sum = 0.5,
       .orthogonality = 0.45}};
  const std::vector<LayerSeen> layers = layers_seen({"a", "b"}, tensors);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[1].name, "b");
  EXPECT_DOUBLE_EQ(layers[0].cosine, 0);
  EXPECT_DOUBLE_EQ(layers[1].cosine, 1);
  EXPECT_DOUBLE_EQ(layers[1].to_sum, 0.5);
  EXPECT_EQ(adasum_line(2, 30, layers),
            "adasum: epoch 2 step 30, orthogonality 0.725 (0.450 b - 1.000 a), cosine 0.500");
}

TEST(LogLines, WriteNumbersAsPythonDoes) {
  const std::pair<double, const char*> cases[] = {
      {0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {100000, "100000.0"},
      {0.1, "0.1"},
      {0.1F, "0.10000000149011612"},
      {2.302585F, "2.3025848865509033"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {1.5e-7, "1.5e-07"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {1.25e22, "1.25e+22"},
      {std::numeric_limits<float>::denorm_min(), "1.401298464324817e-45"},
      {std::numeric_limits<double>::quiet_NaN(), "nan"},
      {std::numeric_limits<double>::infinity(), "inf"},
      {-std::numeric_limits<double>::infinity(), "-inf"},
  };
  for (const auto& [number, text] : cases) EXPECT_EQ(python_float(number), text);
}

TEST(LossMonitor, ShowsTheFirstStepEveryNthAndTheLast) {
  std::vector<std::string> lines;
  LossMonitor monitor([&](const std::string& line) { lines.push_back(line); }, 2);
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (int step = 1; step <= 5; ++step) monitor.step_end({epoch, step, 0.5F});
    monitor.epoch_end({epoch, 5, 0.5F});
  }
  std::vector<std::string> wanted;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (const int step : {1, 2, 4, 5}) wanted.push_back(loss_line(epoch, step, 0.5F));
  }
  EXPECT_EQ(lines, wanted);
}

TEST(LossMonitor, ShowsALastStepThatIsDueOnce) {
  int lines = 0;
  LossMonitor monitor([&](const std::string&) { ++lines; }, 2);
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (int step = 1; step <= 2; ++step) monitor.step_end({epoch, step, 0.5F});
    monitor.epoch_end({epoch, 2, 0.5F});
  }
  EXPECT_EQ(lines, 4);
}

TEST(LossMonitor, EndsTheTrainingAtALossThatIsNotFinite) {
  for (const float loss : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    std::string last;
    LossMonitor monitor([&](const std::string& line) { last = line; }, 100);
    try {
      monitor.step_end({2, 17, loss});
      FAIL() << "went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Exit::failed);
    }
    EXPECT_EQ(last, not_finite_line(2, 17));
  }
}

TEST(LossMonitor, NamesTheRankOfAGradientThatIsNotFiniteBesideALossThatIs) {
  std::string last;
  LossMonitor monitor([&](const std::string& line) { last = line; }, 100);
  monitor.not_finite({2, 17, 0.5F}, 3);
  EXPECT_EQ(last, not_finite_gradient_line(2, 17, 3));
  monitor.not_finite({2, 17, std::nanf("")}, 3);
  EXPECT_EQ(last, not_finite_line(2, 17));
}

}  // namespace
}  // namespace adarun::trainer
