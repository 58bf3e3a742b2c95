// SPDX-License-Identifier: Apache-2.0
// Gradients of every model and loss compared with finite differences, in double.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "trainer/models/models.h"
#include "trainer/models/weights.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {
namespace {

/// A model whose tensors are double, on one batch.
class Exact {
 public:
  Exact(const Model& model, const Weights& weights, const Batch& batch)
      : model_(model), labels_(torch::tensor(batch.labels, torch::kInt64)) {
    const torch::NoGradGuard no_gradients;
    for (const torch::Tensor& tensor : weights.tensors()) tensors.push_back(tensor.to(torch::kDouble));
    images_ = torch::tensor(batch.images, torch::kFloat)
                  .view({-1, batch.channels, batch.side, batch.side})
                  .to(torch::kDouble);
  }

  torch::Tensor loss() const {
    std::vector<torch::Tensor> buffers;
    for (const TensorShape& shape : model_.buffers)
      buffers.push_back(torch::zeros(shape.shape, torch::kDouble));
    Layers layers(tensors, buffers, true, model_.layers);
    return cross_entropy(model_.forward(layers, images_, model_.shape.classes), labels_, 0.1);
  }

  /// The gradient of the loss, in tensors[t].grad().
  void backward() {
    for (torch::Tensor& tensor : tensors) tensor.set_requires_grad(true);
    loss().backward();
    for (torch::Tensor& tensor : tensors) tensor.set_requires_grad(false);
  }

  /// Moves each weight and each pixel by up to 2^-20 of itself.
  void round_as_float() {
    const auto round = [](torch::Tensor& tensor) {
      tensor.mul_(1 + (2 * torch::rand_like(tensor) - 1) * 0x1p-20);
    };
    for (torch::Tensor& tensor : tensors) round(tensor);
    round(images_);
  }

  std::vector<torch::Tensor> tensors;

 private:
  const Model& model_;
  torch::Tensor images_;
  torch::Tensor labels_;
};

/// The derivative of the loss along `directions` (one for each of `tensors`), by a difference of second
/// order.
double slope(const Exact& exact, const std::vector<torch::Tensor>& tensors,
             const std::vector<torch::Tensor>& directions, double step) {
  const auto move = [&](double by) {
    for (std::size_t t = 0; t < tensors.size(); ++t) torch::Tensor(tensors[t]).add_(directions[t], by);
  };
  move(step);
  const double after = exact.loss().item<double>();
  move(-2 * step);
  const double before = exact.loss().item<double>();
  move(step);
  return (after - before) / (2 * step);
}

/// Compares the gradients of `tensors` together with the difference along a random direction, to which each
/// tensor contributes in proportion to the length of its gradient.
void expect_gradient(const Exact& exact, const std::vector<torch::Tensor>& tensors, const std::string& what) {
  std::vector<torch::Tensor> directions;
  double wanted = 0;
  double size = 0;
  for (const torch::Tensor& tensor : tensors) {
    const double length = tensor.grad().norm().item<double>();
    if (length == 0) {
      directions.push_back(torch::zeros_like(tensor));
      continue;
    }
    // Along the gradient, so that the derivative is not a small remainder of cancellation, plus a random
    // direction.
    const torch::Tensor noise = torch::randn_like(tensor) / std::sqrt(tensor.numel());
    directions.push_back(tensor.grad() / length + noise);
    wanted += (directions.back() * tensor.grad()).sum().item<double>();
    size += directions.back().square().sum().item<double>();
  }
  if (size == 0) return;
  for (torch::Tensor& direction : directions) direction /= std::sqrt(size);
  wanted /= std::sqrt(size);
  // A steep loss is also curved. Losses of about 2 are rounded to 1e-14 or so, which is divided by 2e-6; a
  // ReLU whose kink is within the step adds more.
  const double step = 1e-6 / std::max(1.0, wanted);
  EXPECT_NEAR(slope(exact, tensors, directions, step), wanted, 1e-5 * std::abs(wanted) + 1e-7) << what;
}

Batch random_batch(const ModelShape& shape, std::int64_t size) {
  Batch batch;
  const torch::Tensor values = torch::randn({size * shape.channels * shape.side * shape.side});
  batch.images.assign(values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
  for (std::int64_t i = 0; i < size; ++i) batch.labels.push_back(i * 3 % shape.classes);
  batch.channels = shape.channels;
  batch.side = shape.side;
  return batch;
}

/// How far the exact gradient of each tensor moves when the model's numbers have errors like those of float:
/// each weight, and each pixel, changes by up to 2^-20 of itself either way, about the error of sums of
/// hundreds of floats. Layers that normalize over few values increase this; where it changes a ReLU's choice,
/// the gradient jumps. The longest of some tries.
std::vector<double> moved_by_rounding(const Model& model, const Weights& weights, const Batch& batch,
                                      const Exact& exact) {
  constexpr int tries = 2;
  std::vector<double> moved(exact.tensors.size());
  for (int i = 0; i < tries; ++i) {
    Exact rounded(model, weights, batch);
    rounded.round_as_float();
    rounded.backward();
    for (std::size_t t = 0; t < moved.size(); ++t) {
      const torch::Tensor by = rounded.tensors[t].grad() - exact.tensors[t].grad();
      moved[t] = std::max(moved[t], by.norm().item<double>());
    }
  }
  return moved;
}

struct Case {
  std::string name;
  ModelShape shape;
  bool each_tensor;  ///< Else all tensors at once, for models with many tensors and slow passes.
  LayerOptions layers = {};
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

class Gradient : public testing::TestWithParam<Case> {};

TEST_P(Gradient, EqualsFiniteDifferencesInDouble) {
  torch::manual_seed(1);
  const Model model = model_named(GetParam().name, GetParam().shape, GetParam().layers);
  Weights weights(model, 1);
  const Batch batch = random_batch(GetParam().shape, 4);
  Exact exact(model, weights, batch);
  exact.backward();
  if (GetParam().each_tensor) {
    for (std::size_t t = 0; t < exact.tensors.size(); ++t) {
      expect_gradient(exact, {exact.tensors[t]}, model.parameters[t].name);
    }
  }
  expect_gradient(exact, exact.tensors, "all tensors");

  // The float gradient used in training equals it within the precision of float.
  const std::vector<double> moved = moved_by_rounding(model, weights, batch, exact);
  add_gradients(model, weights, batch, {0.1});
  double worst = 0;
  for (std::size_t t = 0; t < exact.tensors.size(); ++t) {
    const torch::Tensor wanted = exact.tensors[t].grad();
    const double off = (weights.tensors()[t].grad().to(torch::kDouble) - wanted).norm().item<double>();
    EXPECT_LE(off, 8 * moved[t] + 1e-6 * wanted.norm().item<double>() + 1e-9) << model.parameters[t].name;
    worst = std::max(worst, off / (moved[t] + 1e-30));
  }
  std::printf("float is off by %.2f times what rounding moves, at most\n", worst);
}

INSTANTIATE_TEST_SUITE_P(
    OfEachModel, Gradient,
    testing::Values(Case{"mlp", {1, 8, 5}, true}, Case{"lenet5", {2, 32, 10}, true},
                    Case{"resnet20", {3, 8, 10}, true}, Case{"resnet18", {3, 33, 11}, false},
                    Case{"resnet50", {3, 33, 11}, false}, Case{"lenet5", {2, 32, 10}, true, {true, true}},
                    Case{"resnet20", {3, 8, 10}, true, {true, true}}),
    [](const auto& of) { return of.param.name + (of.param.layers.normalized_scores ? "_less_bn" : ""); });

}  // namespace
}  // namespace adarun::trainer
