// SPDX-License-Identifier: Apache-2.0
// Gradients that are not finite on one rank of several. Part of the program of mpi_test.cpp.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/adasum/mpi_main.h"
#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"
#include "trainer/callbacks/monitors.h"
#include "trainer/data/datasets/mnist.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

using adasum::world;

/// Images of uniform brightness.
class Plain : public GrayscaleDataset {
 public:
  explicit Plain(std::uint8_t brightness) : brightness_(brightness) {}
  std::size_t size() const override { return 64; }
  int label(std::size_t /*index*/) const override { return 3; }
  void image(std::size_t /*index*/, std::span<std::uint8_t> pixels) const override {
    std::ranges::fill(pixels, brightness_);
  }

 private:
  std::uint8_t brightness_;
};

/// Scores that are square roots: of 0 for black images, where the root is finite and its derivative is not.
Model roots() {
  const Forward forward = [](Layers& layers, const torch::Tensor& images, std::int64_t classes) {
    const torch::Tensor bias = layers.parameter("bias", {classes}, constant(0));
    return torch::sqrt(torch::relu(images.mean({1, 2, 3})).unsqueeze(1) + bias);
  };
  return make_model("roots", forward, {1, 28, 10});
}

/// Scores that are logarithms: of 0 for black images, whose loss is not finite either.
Model logarithms() {
  const Forward forward = [](Layers& layers, const torch::Tensor& images, std::int64_t classes) {
    const torch::Tensor bias = layers.parameter("bias", {classes}, constant(0));
    return torch::log(torch::relu(images.mean({1, 2, 3})).unsqueeze(1)) + bias;
  };
  return make_model("logarithms", forward, {1, 28, 10});
}

struct Outcome {
  std::string error;
  std::vector<std::string> lines;
  std::vector<float> weights;
};

/// The result on this rank of a training in which the ranks from `first` on have black images.
Outcome train_black_from(int first, Reduce reduce, const TrainerOptions& given,
                         const Model& model = roots()) {
  Weights weights(model, 1);
  const ReduceContext context(*world, {reduce, 1});
  TrainerOptions options = given;
  options.batch_size = 2;
  options.max_steps = 1;
  Outcome outcome;
  LossMonitor monitor([&](const std::string& line) { outcome.lines.push_back(line); }, 1);
  const Plain dataset(world->rank() < first ? 255 : 0);
  Learner learner = make_learner(model, weights, context, options);
  try {
    train({model, weights, learner, dataset, *world, {&monitor}}, options);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  outcome.weights.assign(weights.values().begin(), weights.values().end());
  return outcome;
}

TrainerOptions on(AdasumOn adasum_on) {
  TrainerOptions options;
  options.adasum_on = adasum_on;
  return options;
}

void expect_end(Reduce reduce, AdasumOn adasum_on) {
  const int first = world->size() - 2;
  const Outcome outcome = train_black_from(first, reduce, on(adasum_on));
  EXPECT_EQ(outcome.error,
            "epoch 1 step 1: the gradients of rank " + std::to_string(first) + " hold NaN or infinity");
  EXPECT_EQ(outcome.lines, std::vector{not_finite_gradient_line(1, 1, first)});
  EXPECT_EQ(outcome.weights, std::vector<float>(10)) << "a weight was changed";
}

TEST(NotFinite, GradientsEndTheTrainingOnAllRanksBeforeAnyWeightIsChanged) {
  for (const Reduce reduce : {Reduce::adasum, Reduce::mean, Reduce::sum, Reduce::none}) {
    expect_end(reduce, AdasumOn::gradient);
  }
  expect_end(Reduce::adasum, AdasumOn::delta);
}

TEST(NotFinite, StepsAreLeftOutOnAllRanksWhereTheLossScaleAllowsIt) {
  const int first = world->size() - 1;
  for (const Reduce reduce : {Reduce::adasum, Reduce::mean}) {
    TrainerOptions options;
    options.loss_scale = {1024, true};
    const Outcome outcome = train_black_from(first, reduce, options);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.lines.front(), step_dropped_line(1, 1, first, 512));
    EXPECT_EQ(outcome.weights, std::vector<float>(10)) << "a weight was changed";
  }
}

TEST(NotFinite, LossesEndTheTrainingAndNoStepIsLeftOut) {
  const int first = world->size() - 1;
  TrainerOptions options;
  options.loss_scale = {1024, true, true};
  const Outcome outcome = train_black_from(first, Reduce::adasum, options, logarithms());
  EXPECT_EQ(outcome.error,
            "epoch 1 step 1: the gradients of rank " + std::to_string(first) + " hold NaN or infinity");
  EXPECT_EQ(outcome.lines, std::vector{world->rank() < first ? not_finite_gradient_line(1, 1, first)
                                                             : not_finite_line(1, 1)});
}

TEST(NotFinite, IsNoRankWhoseImagesAreWhite) {
  const Outcome outcome = train_black_from(world->size(), Reduce::adasum, {});
  EXPECT_EQ(outcome.error, "");
  EXPECT_NE(outcome.weights, std::vector<float>(10));
}

}  // namespace
}  // namespace adarun::trainer
