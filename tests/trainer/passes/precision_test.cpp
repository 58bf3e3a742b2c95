// SPDX-License-Identifier: Apache-2.0
// Passes whose layers are computed in bfloat16.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "trainer/data/batch.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/models/models.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {
namespace {

constexpr PassOptions in_bfloat16{0, 1, Precision::bfloat16};

Batch eight_digits(int side) {
  const Digits data(DatasetPart::train, 1);
  const std::vector<std::uint32_t> indices = {5, 3, 8, 1, 9, 11, 2, 4};
  Batch batch;
  fill(batch, data, indices, side);
  return batch;
}

torch::ScalarType computed_in;

torch::Tensor one_layer(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  const torch::Tensor scores = layers.dense("fc", images.flatten(1), classes).values;
  computed_in = scores.scalar_type();
  return scores;
}

TEST(Bfloat16, IsWhatLayersAreComputedInAndNothingElse) {
  const Model model = make_model("one", one_layer, {1, 8, 10});
  Weights weights(model, 1);
  const Batch batch = eight_digits(8);
  add_gradients(model, weights, batch, in_bfloat16);
  EXPECT_EQ(computed_in, torch::kBFloat16);
  for (const torch::Tensor& tensor : weights.tensors()) {
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat);
    EXPECT_EQ(tensor.grad().scalar_type(), torch::kFloat);
  }
  count_correct(model, weights, batch);
  EXPECT_EQ(computed_in, torch::kFloat);
  add_gradients(model, weights, batch, {});
  EXPECT_EQ(computed_in, torch::kFloat);
}

TEST(Bfloat16, TakesWeightsAsTheyAreInEachPass) {
  const Model model = model_named("lenet5", {1, 32, 10});
  Weights weights(model, 1);
  Weights others(model, 2);
  const Batch batch = eight_digits(32);
  const float first = add_gradients(model, weights, batch, in_bfloat16);
  EXPECT_EQ(add_gradients(model, weights, batch, in_bfloat16), first);
  const float wanted = add_gradients(model, others, batch, in_bfloat16);
  EXPECT_NE(wanted, first);
  std::ranges::copy(others.values(), weights.values().begin());
  EXPECT_EQ(add_gradients(model, weights, batch, in_bfloat16), wanted);
}

/// The distance of the gradient in bfloat16 from that in float, relative to its length.
double off(const std::string& name, const ModelShape& shape) {
  const Model model = model_named(name, shape);
  const Batch batch = eight_digits(shape.side);
  Weights in_float(model, 1);
  Weights rounded(model, 1);
  add_gradients(model, in_float, batch, {});
  add_gradients(model, rounded, batch, in_bfloat16);
  double square = 0;
  double difference = 0;
  for (std::size_t i = 0; i < in_float.gradients().size(); ++i) {
    const double wanted = in_float.gradients()[i];
    square += wanted * wanted;
    difference += std::pow(rounded.gradients()[i] - wanted, 2);
  }
  return std::sqrt(difference / square);
}

// Each rounding has an error of up to 2^-9, and some choices of ReLU and pooling change: by 0.02 to 0.07 in
// all where oneDNN computes in bfloat16, and by 0.08 to 0.16 on CPUs without AVX-512, where sums are rounded
// too. An unrelated direction would be off by 1.4.
TEST(Bfloat16, GivesNearlyTheGradientOfFloat) {
  for (const char* name : {"mlp", "lenet5", "resnet20"}) {
    const double part = off(name, {1, default_side(name), 10});
    EXPECT_LT(part, 0.4) << name;
    EXPECT_GT(part, 1e-4) << name << " was not rounded";
  }
}

}  // namespace
}  // namespace adarun::trainer
