// SPDX-License-Identifier: Apache-2.0
#include "adasum/delta_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/thread_communicator.h"

namespace adasum {
namespace {

// v = mu v + g; w = w - lr v
struct Momentum {
  std::vector<double> velocity = std::vector<double>(3);

  void step(std::vector<double>& weights, const std::vector<double>& gradient) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      velocity[i] = 0.9 * velocity[i] + gradient[i];
      weights[i] -= 0.1 * velocity[i];
    }
  }
};

TEST(DeltaPlan, GivesTheGoldenValuesWithMomentum) {
  run_ranks(2, [](Communicator& communicator) {
    const std::vector<double> gradient = {communicator.rank() == 0 ? 1.0 : 0.0,
                                          communicator.rank() == 0 ? 0.0 : 1.0, 2};
    const std::vector<std::vector<double>> golden = {{0.94, 1.94, 2.76}, {0.826, 1.826, 2.304}};
    std::vector<double> weights = {1, 2, 3};
    Momentum optimizer;
    Engine engine(communicator);
    DeltaPlan<double> plan(engine, {weights});
    for (const auto& wanted : golden) {
      plan.begin_step();
      optimizer.step(weights, gradient);
      EXPECT_EQ(plan.end_step(), std::nullopt);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights[i], wanted[i], 1e-14);
    }
  });
}

TEST(DeltaPlan, TakesAStepBackThatWentToInfinityOnOneRank) {
  run_ranks(4, [](Communicator& communicator) {
    std::vector<float> weights = {1, 2, 3};
    Engine engine(communicator);
    DeltaPlan<float> plan(engine, {std::span(weights).first(2), std::span(weights).last(1)});
    plan.begin_step();
    weights[2] = communicator.rank() == 2 ? INFINITY : 5;
    EXPECT_EQ(plan.end_step(), 2);
    EXPECT_EQ(weights, (std::vector<float>{1, 2, 3}));
  });
}

}  // namespace
}  // namespace adasum
