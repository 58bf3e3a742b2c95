// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace adasum {

/// The parameters of one step, with d = g + decay w:  v = momentum v + d;  w -= rate v,
/// or with Nesterov's momentum  w -= rate (d + momentum v)  (Sutskever et al., 2013). No dampening.
template <typename T>
struct MomentumStep {
  T rate = 0;
  T momentum = 0;
  T decay = 0;
  bool nesterov = false;
};

/// Takes this step. All vectors have the same size.
template <typename T>
void take_step(const MomentumStep<T>& step, std::span<T> weights, std::span<const T> gradients,
               std::span<T> velocity) {
  if (step.nesterov) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const T direction = gradients[i] + step.decay * weights[i];
      velocity[i] = step.momentum * velocity[i] + direction;
      weights[i] -= step.rate * (direction + step.momentum * velocity[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    velocity[i] = step.momentum * velocity[i] + (gradients[i] + step.decay * weights[i]);
    weights[i] -= step.rate * velocity[i];
  }
}

/// SGD with momentum for a list of tensors, for programs without an optimizer. T is float or double.
template <typename T>
class Momentum {
 public:
  struct Options {
    T momentum = T(0.9);
    T decay = 0;
  };

  /// Gradients have the sizes of the weights. All memory must outlive this object. Velocities begin as 0.
  Momentum(std::vector<std::span<T>> weights, std::vector<std::span<T>> gradients,
           const Options& options = {})
      : weights_(std::move(weights)), gradients_(std::move(gradients)), options_(options) {
    for (const std::span<T> weight : weights_) velocities_.emplace_back(weight.size());
  }

  void step(T rate) {
    for (std::size_t i = 0; i < weights_.size(); ++i)
      take_step<T>({rate, options_.momentum, options_.decay}, weights_[i], gradients_[i], velocities_[i]);
  }

  /// Its velocities: LocalState::optimizer_state.
  std::vector<std::span<T>> state() { return {velocities_.begin(), velocities_.end()}; }

 private:
  std::vector<std::span<T>> weights_;
  std::vector<std::span<T>> gradients_;
  Options options_;
  std::vector<std::vector<T>> velocities_;
};

}  // namespace adasum
