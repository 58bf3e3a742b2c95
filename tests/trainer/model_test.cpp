// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trainer/data/digits.h"
#include "trainer/data/loader.h"
#include "trainer/error.h"
#include "trainer/loss.h"
#include "trainer/models/weights.h"
#include "trainer/passes.h"

namespace adarun::trainer {
namespace {

TEST(Model, HasTheValuesOfItsReference) {
  EXPECT_EQ(Weights(mlp(), 1).values().size(), 669706U);
  EXPECT_EQ(Weights(lenet5(), 1).values().size(), 61706U);
  EXPECT_EQ(Weights(lenet5(), 1).counts().size(), 10U);
  EXPECT_THROW(model_named("vgg"), Error);
}

TEST(Model, ScoresTenClasses) {
  for (const Model& model : {mlp(), lenet5()}) {
    const Weights weights(model, 1);
    const torch::Tensor scores =
        model.forward(weights.tensors(), torch::zeros({3, 1, model.side, model.side}));
    EXPECT_EQ(scores.sizes(), (std::vector<std::int64_t>{3, 10})) << model.name;
  }
}

TEST(Model, HasDenseLayersThatAreLinear) {
  const torch::Tensor x = torch::randn({5, 30});
  const torch::Tensor weight = torch::randn({7, 30});
  const torch::Tensor bias = torch::randn({7});
  // Sums of 30 products of float, in another order.
  EXPECT_TRUE(torch::allclose(dense(x, weight, bias), torch::linear(x, weight, bias), 1e-5, 1e-5));
}

TEST(Weights, ComeFromTheirSeed) {
  const auto sum = [](std::uint64_t seed) { return checksum(Weights(lenet5(), seed).values()); };
  EXPECT_EQ(sum(1), sum(1));
  EXPECT_NE(sum(1), sum(2));
}

TEST(Weights, ChecksumDependsOnEachBit) {
  Weights weights(lenet5(), 1);
  const std::uint64_t before = checksum(weights.values());
  float& last = weights.values().back();
  last = std::nextafter(last, 1.0F);
  EXPECT_NE(checksum(weights.values()), before);
}

// Differences of the loss, of second order, along the gradient: a directional derivative is |g|.
TEST(Passes, GiveTheGradientOfTheLoss) {
  const Digits data(Part::train, 1);
  for (const Model& model : {mlp(), lenet5()}) {
    Weights weights(model, 1);
    Loader loader(data, {0, 1}, 16, model.side, 1);
    loader.start(1);
    const Batch& batch = loader.batch(1);
    compute_gradients(model, weights, batch, 0.1);
    const std::vector<float> gradient(weights.gradients().begin(), weights.gradients().end());
    double square = 0;
    for (const float g : gradient) square += double{g} * double{g};
    const double step = 1e-3 / std::sqrt(square);
    const auto loss_at = [&](double sign) {
      Weights moved(model, 1);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        moved.values()[i] += static_cast<float>(sign * step * double{gradient[i]});
      }
      return double{compute_gradients(model, moved, batch, 0.1)};
    };
    const double slope = (loss_at(1) - loss_at(-1)) / 2e-3;
    // float losses of about 2.3 have 2.4e-7 of rounding over a difference of 2e-3 |g|.
    EXPECT_NEAR(slope, std::sqrt(square), 0.02 * std::sqrt(square)) << model.name;
  }
}

TEST(Passes, OverwriteTheGradientOfTheStepBefore) {
  const Digits data(Part::train, 1);
  const Model model = lenet5();
  Weights weights(model, 1);
  Loader loader(data, {0, 1}, 8, model.side, 1);
  loader.start(1);
  compute_gradients(model, weights, loader.batch(1), 0);
  const std::vector<float> once(weights.gradients().begin(), weights.gradients().end());
  compute_gradients(model, weights, loader.batch(1), 0);
  EXPECT_EQ(std::vector<float>(weights.gradients().begin(), weights.gradients().end()), once);
}

double slow_cross_entropy(const std::vector<std::vector<double>>& scores, const std::vector<int>& labels,
                          double smoothing) {
  double loss = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double sum = 0;
    for (const double score : scores[i]) sum += std::exp(score);
    for (std::size_t c = 0; c < scores[i].size(); ++c) {
      const bool right = static_cast<int>(c) == labels[i];
      const double target = right ? 1 - smoothing : smoothing / static_cast<double>(scores[i].size() - 1);
      loss -= target * (scores[i][c] - std::log(sum));
    }
  }
  return loss / static_cast<double>(scores.size());
}

TEST(CrossEntropy, EqualsItsSlowFormula) {
  const std::vector<std::vector<double>> scores = {{0.5, -1, 2, 0}, {3, 1, -2, 0.25}, {0, 0, 0, 0}};
  const std::vector<int> labels = {2, 1, 3};
  torch::Tensor tensor = torch::empty({3, 4});
  for (std::int64_t i = 0; i < 12; ++i) {
    tensor.data_ptr<float>()[i] =
        static_cast<float>(scores[static_cast<std::size_t>(i / 4)][static_cast<std::size_t>(i % 4)]);
  }
  const torch::Tensor targets = torch::tensor({2, 1, 3}, torch::kInt64);
  for (const double smoothing : {0.0, 0.1, 0.5, 1.0}) {
    EXPECT_NEAR(cross_entropy(tensor, targets, smoothing).item<double>(),
                slow_cross_entropy(scores, labels, smoothing), 1e-6)  // float
        << smoothing;
  }
}

}  // namespace
}  // namespace adarun::trainer
