// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer::optimizers {

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

}  // namespace adarun::trainer::optimizers
