// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trainer/base/error.h"
#include "trainer/base/random.h"

namespace adarun::trainer {
namespace {

using Weights3 = std::array<float, 3>;

/// The weights after two steps with gradients (1, 0, 2) and (0, 1, 2) from (1, 2, 3); the last is a bias.
Weights3 after_two_steps(const OptimizerOptions& options) {
  Weights3 weights = {1, 2, 3};
  const auto optimizer = make_optimizer(options, {{2, true}, {1, false}});
  optimizer->step(weights, Weights3{1, 0, 2}, {options.learning_rate, 1});
  optimizer->step(weights, Weights3{0, 1, 2}, {options.learning_rate, 2});
  return weights;
}

TEST(Optimizer, StepsTwice) {
  struct Case {
    OptimizerOptions options;
    Weights3 wanted;
  };
  OptimizerOptions nesterov{"momentum", 0.1F, 0.9F, 0};
  nesterov.nesterov = true;
  const Case cases[] = {
      {{"sgd", 0.1F, 0.9F, 0}, {0.9F, 1.9F, 2.6F}},
      // v: (1, 0, 2), then (0.9, 1, 3.8).
      {{"momentum", 0.1F, 0.9F, 0}, {0.81F, 1.9F, 2.42F}},
      // v as above; steps by the gradient and the velocity behind it: (1.9, 0, 3.8), then (0.81, 1.9, 5.42).
      {nesterov, {1 - 0.271F, 2 - 0.19F, 3 - 0.922F}},
      // Weights decay, the bias does not; g + w/2: (1.5, 1, 2) -> w (0.85, 1.9, 2.8); then (0.425, 1.95, 2).
      {{"sgd", 0.1F, 0, 0.5F}, {0.8075F, 1.705F, 2.6F}},
      // v: (1.5, 1, 2) -> w (0.85, 1.9, 2.8); v: (1.35 + 0.425, 0.9 + 1.95, 1.8 + 2).
      {{"momentum", 0.1F, 0.9F, 0.5F}, {0.6725F, 1.615F, 2.42F}},
  };
  for (const Case& of : cases) {
    const Weights3 got = after_two_steps(of.options);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_FLOAT_EQ(got[i], of.wanted[i]) << of.options.name << " with decay " << of.options.weight_decay;
  }
}

/// A matrix of two rows, and a bias; the rows' gradients plus decay w / 2 are centralized.
TEST(Optimizer, CentralizesRowsAfterDecay) {
  const OptimizedTensors tensors = {{4, true, 2}, {1, false}};
  using Weights5 = std::array<float, 5>;
  const auto after = [&](const OptimizerOptions& options) {
    Weights5 weights = {1, 3, 2, 2, 5};
    make_optimizer(options, tensors)->step(weights, Weights5{1, 2, 4, 0, 1}, {1, 1});
    return weights;
  };
  // g + w/2: (1.5, 3.5) (5, 1), centralized (-1, 1) (2, -2)
  EXPECT_EQ(after({"sgd", 1, 0, 0.5F}), (Weights5{2, 2, 0, 4, 4}));
  EXPECT_EQ(after({"momentum", 1, 0.9F, 0.5F}), (Weights5{2, 2, 0, 4, 4}));
  // The gradient alone, (-0.5, 0.5) (2, -2), and decay beside it, times 0.5 |w| / (|g| + |w| / 2).
  const float trust = 0.5F * std::sqrt(18.0F) / (std::sqrt(8.5F) + 0.5F * std::sqrt(18.0F));
  OptimizerOptions lars{"lars", 1, 0, 0.5F};
  lars.lars_rate = 0.5F;
  const Weights5 got = after(lars);
  const Weights5 wanted = {1 - trust * (-0.5F + 0.5F), 3 - trust * (0.5F + 1.5F), 2 - trust * (2 + 1),
                           2 - trust * (-2 + 1), 4};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(got[i], wanted[i]) << i;
}

TEST(Optimizer, KeepsTheStateOfTheOneThatStepsOnCentralizedGradients) {
  EXPECT_EQ(make_optimizer({"adam"}, {{4, true, 2}, {1, false}})->state().size(), 2U);
}

TEST(Optimizer, RefusesANameItDoesNotKnow) {
  EXPECT_THROW(make_optimizer({"adamax"}, {}), Error);
}

using Vector = std::vector<double>;

/// One tensor in double, and the formulas written out over it.
struct Slow {
  Vector w, v, m, s;
  bool decays;
};

double length(const Vector& x) {
  double square = 0;
  for (const double value : x) square += value * value;
  return std::sqrt(square);
}

void slow_step(const OptimizerOptions& o, Slow& tensor, const Vector& gradient, int t) {
  const double decay = tensor.decays ? o.weight_decay : 0.0;
  Vector r(gradient.size());
  double trust = 1;
  if (o.name == "lars" && tensor.decays)
    trust = o.lars_rate * length(tensor.w) / (length(gradient) + decay * length(tensor.w));
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double g = gradient[i] + (o.name == "lamb" ? 0 : decay * tensor.w[i]);
    tensor.v[i] = o.momentum * tensor.v[i] + trust * g;
    tensor.m[i] = o.beta1 * tensor.m[i] + (1.0 - o.beta1) * g;
    tensor.s[i] = o.beta2 * tensor.s[i] + (1.0 - o.beta2) * g * g;
    const double first = tensor.m[i] / (1 - std::pow(double{o.beta1}, t));
    const double second = tensor.s[i] / (1 - std::pow(double{o.beta2}, t));
    if (o.name == "sgd") r[i] = g;
    if (o.name == "momentum" || o.name == "lars") r[i] = tensor.v[i];
    if (o.name == "adam" || o.name == "lamb") r[i] = first / (std::sqrt(second) + o.epsilon);
    if (o.name == "lamb") r[i] += decay * tensor.w[i];
  }
  const double rate = o.learning_rate * (o.name == "lamb" ? length(tensor.w) / length(r) : 1);
  for (std::size_t i = 0; i < r.size(); ++i) tensor.w[i] -= rate * r[i];
}

TEST(Optimizer, EqualsItsFormulaInDouble) {
  for (const std::string& name : optimizer_names()) {
    OptimizerOptions options;
    options.name = name;
    options.learning_rate = 0.03F;
    options.weight_decay = 0.01F;
    Random random(7);
    std::vector<Slow> slow;
    std::vector<float> weights;
    const OptimizedTensors tensors = {{40, true}, {7, false}, {25, true}};
    for (const OptimizedTensor& tensor : tensors) {
      const auto count = static_cast<std::size_t>(tensor.count);
      slow.push_back({Vector(count), Vector(count), Vector(count), Vector(count), tensor.decays});
      for (double& value : slow.back().w) {
        weights.push_back(static_cast<float>(random.uniform(-1, 1)));
        value = weights.back();
      }
    }
    const auto optimizer = make_optimizer(options, tensors);
    for (int step = 1; step <= 30; ++step) {
      std::vector<float> gradients;
      for (Slow& tensor : slow) {
        Vector gradient;
        for (std::size_t i = 0; i < tensor.w.size(); ++i) {
          gradients.push_back(static_cast<float>(random.uniform(-2, 3)));
          gradient.push_back(gradients.back());
        }
        slow_step(options, tensor, gradient, step);
      }
      optimizer->step(weights, gradients, {options.learning_rate, step});
    }
    std::size_t at = 0;
    for (const Slow& tensor : slow) {
      // 30 steps of weights up to about 10, each rounded to 24 bits; beta2 = 0.999 costs three more digits.
      for (const double wanted : tensor.w)
        EXPECT_NEAR(weights[at++], wanted, 3e-4 * (1 + std::abs(wanted))) << name;
    }
  }
}

/// The results of torch.optim 1.13.1 in double, from (1, 2, 3) with gradients (1, 0.5, 2), (0.1, -1, 2),
/// (-0.3, 1, 0.25), all three decaying.
TEST(Optimizer, EqualsTorchs) {
  struct Case {
    OptimizerOptions options;
    Weights3 wanted;
  };
  const Case cases[] = {
      {{"sgd", 0.1F, 0, 0.01F}, {0.917212899F, 1.94400595F, 2.5666088F}},
      {{"momentum", 0.1F, 0.9F, 0.01F}, {0.734784699F, 1.94337955F, 2.0371442F}},
      {{"adam", 0.1F, 0, 0.01F}, {0.787615954F, 1.91074356F, 2.71689934F}},
  };
  for (const Case& of : cases) {
    Weights3 weights = {1, 2, 3};
    const auto optimizer = make_optimizer(of.options, {{3, true}});
    std::int64_t number = 0;
    for (const Weights3& gradient :
         {Weights3{1, 0.5F, 2}, Weights3{0.1F, -1, 2}, Weights3{-0.3F, 1, 0.25F}}) {
      optimizer->step(weights, gradient, {0.1F, ++number});
    }
    // Three steps in float; adam's square roots increase the error a little.
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights[i], of.wanted[i], 2e-6) << of.options.name;
  }
}

TEST(Optimizer, ContinuesFromItsState) {
  for (const std::string& name : optimizer_names()) {
    const OptimizerOptions options = {name, 0.1F};
    const auto first = make_optimizer(options, {{3, true}});
    const auto second = make_optimizer(options, {{3, true}});
    Weights3 weights = {1, 2, 3};
    first->step(weights, Weights3{1, 0.5F, 2}, {0.1F, 1});
    Weights3 copy = weights;
    const auto from = first->state();
    const auto to = second->state();
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i) std::ranges::copy(from[i], to[i].begin());
    first->step(weights, Weights3{1, -1, 2}, {0.1F, 2});
    second->step(copy, Weights3{1, -1, 2}, {0.1F, 2});
    EXPECT_EQ(weights, copy) << name;
  }
}

}  // namespace
}  // namespace adarun::trainer
