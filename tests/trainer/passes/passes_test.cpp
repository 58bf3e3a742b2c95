// SPDX-License-Identifier: Apache-2.0
#include "trainer/passes/passes.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "trainer/base/collective.h"
#include "trainer/data/batch.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/models/models.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/run/run.h"

namespace adarun::trainer {
namespace {

std::vector<float> gradients_of(Weights& weights) {
  return {weights.gradients().begin(), weights.gradients().end()};
}

Batch eight_digits(int side) {
  const Digits data(DatasetPart::train, 1);
  const std::vector<std::uint32_t> indices = {5, 3, 8, 1, 9, 11, 2, 4};
  Batch batch;
  fill(batch, data, indices, side);
  return batch;
}

struct Setting {
  Model model = model_named("lenet5", {1, 32, 10});
  Weights weights{model, 1};
  Batch batch = eight_digits(32);
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

constexpr PassOptions in_bfloat16{0, 1, Precision::bfloat16};

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

// Models computed on copies of their weights, as on a device: here the copies are in main memory, and also on
// a CUDA device if there is one.
std::vector<torch::Device> devices() {
  std::vector<torch::Device> all = {torch::kCPU};
  if (torch::cuda::is_available()) all.emplace_back(torch::kCUDA, 0);
  return all;
}

void expect_near(std::span<const float> got, std::span<const float> wanted, const torch::Device& device) {
  const float tolerance = device.is_cpu() ? 0 : 1e-3F;  // other kernels round otherwise
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], tolerance) << device << " " << i;
}

TEST(Copies, GiveTheGradientsOfTheWeightsThemselves) {
  const Model model = model_named("resnet20", {1, 16, 10});
  const Digits data(DatasetPart::train, 1);
  const std::vector<std::uint32_t> indices = {5, 3, 8, 1};
  Batch batch;
  fill(batch, data, indices, 16);
  for (const torch::Device& device : devices()) {
    Weights own(model, 1);
    Weights copied(model, 1, {}, {}, device);
    EXPECT_EQ(copied.device().type(), device.type());
    for (int pass = 0; pass < 2; ++pass) {
      add_gradients(model, own, batch, {0.1, 2});
      add_gradients(model, copied, batch, {0.1, 2});
      expect_near(copied.gradients(), own.gradients(), device);
      expect_near(copied.buffers(), own.buffers(), device);
      // The changes that an optimizer makes, and the mean over the ranks.
      for (Weights* weights : {&own, &copied}) {
        for (float& value : weights->values()) value *= 0.9F;
        for (float& value : weights->buffers()) value *= 0.5F;
      }
    }
    EXPECT_EQ(count_correct(model, copied, batch), count_correct(model, own, batch));
  }
}

std::vector<std::string> results(std::optional<torch::Device> device) {
  TrainerOptions options;
  options.max_steps = 12;
  options.evaluate = true;
  std::vector<std::string> lines;
  SingleProcessCommunicator alone;
  run(
      options, {}, alone, [&](const std::string& line) { lines.push_back(line); }, device);
  std::erase_if(lines, [](const std::string& line) {
    return !line.starts_with("weights: ") && !line.starts_with("accuracy: ");
  });
  return lines;
}

TEST(Copies, LearnToTheBitWhatTheWeightsThemselvesDo) {
  const std::vector<std::string> wanted = results(std::nullopt);
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(results(torch::Device(torch::kCPU)), wanted);
}

}  // namespace
}  // namespace adarun::trainer
