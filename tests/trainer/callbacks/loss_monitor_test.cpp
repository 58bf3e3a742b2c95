// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/loss_monitor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"

namespace adarun::trainer {
namespace {

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
