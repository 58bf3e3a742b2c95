// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/layer_diagnostics.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace adarun::trainer
