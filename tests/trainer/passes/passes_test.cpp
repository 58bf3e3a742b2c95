// SPDX-License-Identifier: Apache-2.0
#include "trainer/passes/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trainer/data/batch.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/models/models.h"
#include "trainer/parallel/cross_entropy.h"

namespace adarun::trainer {
namespace {

std::vector<float> gradients_of(Weights& weights) {
  return {weights.gradients().begin(), weights.gradients().end()};
}

struct Setting {
  Digits data{DatasetPart::train, 1};
  Model model = model_named("lenet5", {1, 32, 10});
  Weights weights{model, 1};
  Batch batch;

  Setting() {
    const std::vector<std::uint32_t> indices = {5, 3, 8, 1, 9, 11, 2, 4};
    fill(batch, data, indices, 32);
  }
};

TEST(Passes, AddToTheGradientsThatAreThere) {
  Setting s;
  const float loss = add_gradients(s.model, s.weights, s.batch, {});
  const std::vector<float> once = gradients_of(s.weights);
  EXPECT_EQ(add_gradients(s.model, s.weights, s.batch, {}), loss);
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_EQ(s.weights.gradients()[i], 2 * once[i]) << i;
}

TEST(Passes, ScaleTheGradientsAndNotTheLoss) {
  Setting s;
  const float loss = add_gradients(s.model, s.weights, s.batch, {});
  const std::vector<float> once = gradients_of(s.weights);
  Setting other;
  EXPECT_EQ(add_gradients(other.model, other.weights, other.batch, {}, 1024), loss);
  // The scale is a power of two, and nothing overflows: the same bits.
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_EQ(other.weights.gradients()[i], 1024 * once[i]) << i;
}

TEST(Passes, MeasureTheLossOfABatchAndChangeNothing) {
  Setting s;
  const Model model = model_named("resnet20", {1, 32, 10});
  Weights weights(model, 1);
  const std::vector<float> buffers(weights.buffers().begin(), weights.buffers().end());
  for (const int micro_batches : {1, 4}) {
    const PassOptions options{0.1, micro_batches};
    const double loss = loss_of(model, weights, s.batch, options);
    EXPECT_TRUE(std::ranges::equal(weights.buffers(), buffers)) << "no running mean has moved";
    EXPECT_TRUE(std::ranges::all_of(weights.gradients(), [](float value) { return value == 0; }));
    Weights learning(model, 1);
    EXPECT_EQ(static_cast<float>(loss), add_gradients(model, learning, s.batch, options));
    EXPECT_FALSE(std::ranges::equal(learning.buffers(), buffers));
  }
}

TEST(Passes, GiveMicroBatchesTheGradientOfTheWholeBatch) {
  Setting whole;
  Setting parts;
  const float loss = add_gradients(whole.model, whole.weights, whole.batch, {0.1});
  EXPECT_NEAR(add_gradients(parts.model, parts.weights, parts.batch, {0.1, 4}), loss, 1e-6);
  // Sums over eight images in another order, of gradients up to about 1.
  for (std::size_t i = 0; i < whole.weights.gradients().size(); ++i) {
    ASSERT_NEAR(parts.weights.gradients()[i], whole.weights.gradients()[i], 1e-6) << i;
  }
}

}  // namespace
}  // namespace adarun::trainer
