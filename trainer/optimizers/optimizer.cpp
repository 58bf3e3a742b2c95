// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/optimizer.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "adasum/steps/momentum.h"
#include "trainer/base/named.h"

namespace adarun::trainer {
namespace {

/// The Euclidean norm of a vector.
double norm(std::span<const float> values) {
  double square = 0;
  for (const float value : values) square += double{value} * double{value};
  return std::sqrt(square);
}

/// Subtracts from each row its mean.
void centralize(std::span<float> values, std::size_t rows) {
  const std::size_t columns = values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<float> of = values.subspan(row * columns, columns);
    double sum = 0;
    for (const float value : of) sum += double{value};
    const auto mean = static_cast<float>(sum / static_cast<double>(columns));
    for (float& value : of) value -= mean;
  }
}

/// One tensor in a step.
struct TensorStep {
  std::size_t begin = 0;  ///< Its first element among those of all tensors.
  std::span<float> weights;
  std::span<const float> gradient;
  float decay = 0;
  bool decays = true;  ///< OptimizedTensor::decays
};

/// Steps tensor by tensor. Where a tensor has rows, those of its gradient are centralized before.
class TensorwiseOptimizer : public Optimizer {
 public:
  TensorwiseOptimizer(const OptimizerOptions& options, OptimizedTensors tensors)
      : options_(options), tensors_(std::move(tensors)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    std::size_t begin = 0;
    for (const OptimizedTensor& tensor : tensors_) {
      const auto count = static_cast<std::size_t>(tensor.count);
      TensorStep of{begin, weights.subspan(begin, count), gradients.subspan(begin, count),
                    tensor.decays ? options_.weight_decay : 0, tensor.decays};
      if (tensor.rows > 0) centralize_gradient(of, static_cast<std::size_t>(tensor.rows));
      step_tensor(of, at);
      begin += count;
    }
  }

 protected:
  virtual void step_tensor(const TensorStep& of, const OptimizerStep& at) = 0;

  /// Whether decay is a part of the gradient from the start, also where that is centralized.
  virtual bool decay_is_in_gradient() const { return true; }

  const OptimizerOptions& options() const { return options_; }

  std::size_t elements() const {
    std::size_t total = 0;
    for (const OptimizedTensor& tensor : tensors_) total += static_cast<std::size_t>(tensor.count);
    return total;
  }

 private:
  void centralize_gradient(TensorStep& of, std::size_t rows) {
    centralized_.assign(of.gradient.begin(), of.gradient.end());
    const float decay = decay_is_in_gradient() ? std::exchange(of.decay, 0.0F) : 0.0F;
    for (std::size_t i = 0; i < centralized_.size(); ++i) centralized_[i] += decay * of.weights[i];
    centralize(centralized_, rows);
    of.gradient = centralized_;
  }

  OptimizerOptions options_;
  OptimizedTensors tensors_;
  std::vector<float> centralized_;  // the gradient of one tensor
};

class Sgd : public TensorwiseOptimizer {
 public:
  using TensorwiseOptimizer::TensorwiseOptimizer;

 private:
  void step_tensor(const TensorStep& of, const OptimizerStep& at) override {
    for (std::size_t i = 0; i < of.weights.size(); ++i)
      of.weights[i] -= at.rate * (of.gradient[i] + of.decay * of.weights[i]);
  }
};

class MomentumSgd : public TensorwiseOptimizer {
 public:
  MomentumSgd(const OptimizerOptions& options, OptimizedTensors tensors)
      : TensorwiseOptimizer(options, std::move(tensors)), velocity_(elements()) {}

  std::vector<std::span<float>> state() override { return {velocity_}; }

 protected:
  void step_tensor(const TensorStep& of, const OptimizerStep& at) override {
    adasum::take_step<float>({at.rate, options().momentum, of.decay, options().nesterov}, of.weights,
                             of.gradient, velocity(of));
  }

  std::span<float> velocity(const TensorStep& of) {
    return std::span(velocity_).subspan(of.begin, of.weights.size());
  }

 private:
  std::vector<float> velocity_;
};

class Lars : public MomentumSgd {
 public:
  using MomentumSgd::MomentumSgd;

 private:
  void step_tensor(const TensorStep& of, const OptimizerStep& at) override {
    const auto trust = of.decays ? static_cast<float>(trust_in(of)) : 1.0F;
    const std::span<float> velocities = velocity(of);
    for (std::size_t i = 0; i < of.weights.size(); ++i) {
      float& v = velocities[i];
      v = options().momentum * v + trust * (of.gradient[i] + of.decay * of.weights[i]);
      of.weights[i] -= at.rate * v;
    }
  }

  bool decay_is_in_gradient() const override { return false; }

  double trust_in(const TensorStep& of) const {
    const double size = norm(of.weights);
    const double slope = norm(of.gradient) + double{options().weight_decay} * size;
    return size > 0 && slope > 0 ? double{options().lars_rate} * size / slope : 1;
  }
};

class Adam : public TensorwiseOptimizer {
 public:
  Adam(const OptimizerOptions& options, OptimizedTensors tensors)
      : TensorwiseOptimizer(options, std::move(tensors)), mean_(elements()), square_(elements()) {}

  std::vector<std::span<float>> state() override { return {mean_, square_}; }

 protected:
  void step_tensor(const TensorStep& of, const OptimizerStep& at) override {
    start(at.number);
    for (std::size_t i = 0; i < of.weights.size(); ++i)
      of.weights[i] -= at.rate * quotient(of.begin + i, of.gradient[i] + of.decay * of.weights[i]);
  }

  /// Prepares for step `number`, from 1.
  void start(std::int64_t number) {
    first_ = static_cast<float>(1 / (1 - std::pow(double{options().beta1}, number)));
    second_ = static_cast<float>(1 / (1 - std::pow(double{options().beta2}, number)));
  }

  /// Updates the means with `gradient` of element i. Returns the mean divided by (root of the mean square +
  /// epsilon), both corrected for starting at 0.
  float quotient(std::size_t i, float gradient) {
    const float beta1 = options().beta1;
    const float beta2 = options().beta2;
    mean_[i] = beta1 * mean_[i] + (1 - beta1) * gradient;
    square_[i] = beta2 * square_[i] + (1 - beta2) * gradient * gradient;
    return mean_[i] * first_ / (std::sqrt(square_[i] * second_) + options().epsilon);
  }

 private:
  float first_ = 1;
  float second_ = 1;
  std::vector<float> mean_;    // of gradients, a running one
  std::vector<float> square_;  // the mean of their squares
};

class Lamb : public Adam {
 public:
  using Adam::Adam;

 private:
  void step_tensor(const TensorStep& of, const OptimizerStep& at) override {
    start(at.number);
    way_.resize(of.weights.size());
    for (std::size_t i = 0; i < way_.size(); ++i)
      way_[i] = quotient(of.begin + i, of.gradient[i]) + of.decay * of.weights[i];
    const double size = norm(of.weights);
    const double length = norm(way_);
    const float rate = at.rate * static_cast<float>(size > 0 && length > 0 ? size / length : 1);
    for (std::size_t i = 0; i < way_.size(); ++i) of.weights[i] -= rate * way_[i];
  }

  bool decay_is_in_gradient() const override { return false; }

  std::vector<float> way_;  // the update of one tensor
};

template <typename Kind>
std::unique_ptr<Optimizer> make(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Kind>(options, std::move(tensors));
}

struct Entry {
  const char* name;
  std::unique_ptr<Optimizer> (*make)(const OptimizerOptions& options, OptimizedTensors tensors);
};

const Entry table[] = {
    {"momentum", make<MomentumSgd>},  //
    {"sgd", make<Sgd>},               //
    {"adam", make<Adam>},             //
    {"lamb", make<Lamb>},             //
    {"lars", make<Lars>},
};

}  // namespace

std::vector<std::string> optimizer_names() {
  return names_in(table);
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, OptimizedTensors tensors) {
  return entry_named(table, "optimizer", options.name).make(options, std::move(tensors));
}

}  // namespace adarun::trainer
