// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/log_lines.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

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

}  // namespace
}  // namespace adarun::trainer
