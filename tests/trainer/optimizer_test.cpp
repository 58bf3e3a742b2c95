// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizer.h"

#include <gtest/gtest.h>

#include <array>

#include "trainer/error.h"

namespace adarun::trainer {
namespace {

using Weights3 = std::array<float, 3>;

/// The weights after two steps with gradients (1, 0, 2) and (0, 1, 2) from (1, 2, 3); the last is a bias.
Weights3 after_two_steps(const OptimizerOptions& options) {
  Weights3 weights = {1, 2, 3};
  const auto optimizer = make_optimizer(options, {{2, true}, {1, false}});
  optimizer->step(weights, Weights3{1, 0, 2});
  optimizer->step(weights, Weights3{0, 1, 2});
  return weights;
}

void expect_near(const Weights3& got, const Weights3& wanted) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(got[i], wanted[i]) << i;
}

TEST(Optimizer, SgdStepsAgainstTheGradient) {
  expect_near(after_two_steps({"sgd", 0.1F, 0.9F, 0}), {0.9F, 1.9F, 2.6F});
}

TEST(Optimizer, MomentumKeepsItsVelocity) {
  // v: (1, 0, 2), then (0.9, 1, 3.8).
  expect_near(after_two_steps({"momentum", 0.1F, 0.9F, 0}), {0.81F, 1.9F, 2.42F});
}

TEST(Optimizer, DecaysWeightsAndNotBiases) {
  // g + w/2: (1.5, 1, 2) -> w (0.85, 1.9, 2.8); then (0.425, 1.95, 2) -> w (0.8075, 1.705, 2.6).
  expect_near(after_two_steps({"sgd", 0.1F, 0, 0.5F}), {0.8075F, 1.705F, 2.6F});
}

TEST(Optimizer, MomentumDecaysBeforeItsVelocity) {
  // v: (1.5, 1, 2) -> w (0.85, 1.9, 2.8); v: (1.35 + 0.425, 0.9 + 1.95, 1.8 + 2).
  expect_near(after_two_steps({"momentum", 0.1F, 0.9F, 0.5F}), {0.6725F, 1.615F, 2.42F});
}

TEST(Optimizer, RefusesANameItDoesNotKnow) {
  EXPECT_THROW(make_optimizer({"adamax"}, {}), Error);
}

}  // namespace
}  // namespace adarun::trainer
