// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/kinds.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adasum/steps/momentum.h"
#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer::optimizers {
namespace {

/// Running means of gradients and of their squares, for adam and lamb.
class Moments {
 public:
  Moments(const OptimizerOptions& options, std::size_t count)
      : beta1_(options.beta1),
        beta2_(options.beta2),
        epsilon_(options.epsilon),
        mean_(count),
        square_(count) {}

  /// Prepares for step `number`, from 1.
  void start(std::int64_t number) {
    first_ = static_cast<float>(1 / (1 - std::pow(double{beta1_}, number)));
    second_ = static_cast<float>(1 / (1 - std::pow(double{beta2_}, number)));
  }

  /// Updates the means with `gradient` of element i. Returns the mean divided by (root of the mean square +
  /// epsilon), both corrected for starting at 0.
  float quotient(std::size_t i, float gradient) {
    mean_[i] = beta1_ * mean_[i] + (1 - beta1_) * gradient;
    square_[i] = beta2_ * square_[i] + (1 - beta2_) * gradient * gradient;
    return mean_[i] * first_ / (std::sqrt(square_[i] * second_) + epsilon_);
  }

  std::vector<std::span<float>> state() { return {mean_, square_}; }

 private:
  float beta1_;
  float beta2_;
  float epsilon_;
  float first_ = 1;
  float second_ = 1;
  std::vector<float> mean_;
  std::vector<float> square_;
};

class Sgd : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, OptimizedTensors tensors)
      : decay_(options.weight_decay), tensors_(std::move(tensors)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    for_each_tensor(tensors_, decay_, [&](std::size_t begin, std::size_t end, float decay) {
      for (std::size_t i = begin; i < end; ++i) weights[i] -= at.rate * (gradients[i] + decay * weights[i]);
    });
  }

 private:
  float decay_;
  OptimizedTensors tensors_;
};

}  // namespace

std::unique_ptr<Optimizer> sgd(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Sgd>(options, std::move(tensors));
}

namespace {

class MomentumSgd : public Optimizer {
 public:
  MomentumSgd(const OptimizerOptions& options, OptimizedTensors tensors)
      : options_(options), tensors_(std::move(tensors)), velocity_(elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    const std::span<float> velocity = velocity_;
    for_each_tensor(tensors_, options_.weight_decay, [&](std::size_t begin, std::size_t end, float decay) {
      const std::size_t size = end - begin;
      adasum::take_step<float>({at.rate, options_.momentum, decay, options_.nesterov},
                               weights.subspan(begin, size), gradients.subspan(begin, size),
                               velocity.subspan(begin, size));
    });
  }

  std::vector<std::span<float>> state() override { return {velocity_}; }

 private:
  OptimizerOptions options_;
  OptimizedTensors tensors_;
  std::vector<float> velocity_;
};

}  // namespace

std::unique_ptr<Optimizer> momentum(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<MomentumSgd>(options, std::move(tensors));
}

namespace {

class Adam : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, OptimizedTensors tensors)
      : decay_(options.weight_decay), tensors_(std::move(tensors)), moments_(options, elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    moments_.start(at.number);
    for_each_tensor(tensors_, decay_, [&](std::size_t begin, std::size_t end, float decay) {
      for (std::size_t i = begin; i < end; ++i) {
        weights[i] -= at.rate * moments_.quotient(i, gradients[i] + decay * weights[i]);
      }
    });
  }

  std::vector<std::span<float>> state() override { return moments_.state(); }

 private:
  float decay_;
  OptimizedTensors tensors_;
  Moments moments_;
};

}  // namespace

std::unique_ptr<Optimizer> adam(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Adam>(options, std::move(tensors));
}

namespace {

class Lars : public Optimizer {
 public:
  Lars(const OptimizerOptions& options, OptimizedTensors tensors)
      : options_(options), tensors_(std::move(tensors)), velocity_(elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    std::size_t begin = 0;
    for (const OptimizedTensor& tensor : tensors_) {
      const auto count = static_cast<std::size_t>(tensor.count);
      const auto w = weights.subspan(begin, count);
      const auto g = gradients.subspan(begin, count);
      const float decay = tensor.decays ? options_.weight_decay : 0;
      const auto trust = tensor.decays ? static_cast<float>(trust_in(w, g)) : 1.0F;
      for (std::size_t i = 0; i < count; ++i) {
        float& v = velocity_[begin + i];
        v = options_.momentum * v + trust * (g[i] + decay * w[i]);
        w[i] -= at.rate * v;
      }
      begin += count;
    }
  }

  std::vector<std::span<float>> state() override { return {velocity_}; }

 private:
  double trust_in(std::span<const float> weights, std::span<const float> gradients) const {
    const double size = norm(weights);
    const double slope = norm(gradients) + double{options_.weight_decay} * size;
    return size > 0 && slope > 0 ? double{options_.lars_rate} * size / slope : 1;
  }

  OptimizerOptions options_;
  OptimizedTensors tensors_;
  std::vector<float> velocity_;
};

}  // namespace

std::unique_ptr<Optimizer> lars(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Lars>(options, std::move(tensors));
}

namespace {

class Lamb : public Optimizer {
 public:
  Lamb(const OptimizerOptions& options, OptimizedTensors tensors)
      : decay_(options.weight_decay), tensors_(std::move(tensors)), moments_(options, elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    moments_.start(at.number);
    for_each_tensor(tensors_, decay_, [&](std::size_t begin, std::size_t end, float decay) {
      const std::span<float> w = weights.subspan(begin, end - begin);
      way_.resize(w.size());
      for (std::size_t i = 0; i < w.size(); ++i) {
        way_[i] = moments_.quotient(begin + i, gradients[begin + i]) + decay * w[i];
      }
      const double size = norm(w);
      const double length = norm(way_);
      const float rate = at.rate * static_cast<float>(size > 0 && length > 0 ? size / length : 1);
      for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * way_[i];
    });
  }

  std::vector<std::span<float>> state() override { return moments_.state(); }

 private:
  float decay_;
  OptimizedTensors tensors_;
  Moments moments_;
  std::vector<float> way_;  // the update of one tensor
};

}  // namespace

std::unique_ptr<Optimizer> lamb(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Lamb>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
