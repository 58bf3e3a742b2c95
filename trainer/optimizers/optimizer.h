// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adarun::trainer {

struct OptimizerOptions {
  std::string name = "momentum";  ///< One of optimizer_names().
  float learning_rate = 0.02F;    ///< What schedules go up to.
  float momentum = 0.9F;          ///< Of momentum and lars.
  float weight_decay = 0;
  float beta1 = 0.9F;       ///< Of adam and lamb.
  float beta2 = 0.999F;     ///< Of adam and lamb.
  float epsilon = 1e-8F;    ///< Of adam and lamb.
  float lars_rate = 1e-3F;  ///< Of lars, its eta.
};

/// One tensor as an optimizer sees it.
struct OptimizedTensor {
  std::int64_t count = 0;  ///< Elements.
  bool decays = true;      ///< Weight decay is for weights, not for biases and normalizations.
};
using OptimizedTensors = std::vector<OptimizedTensor>;

/// Which step it is.
struct OptimizerStep {
  float rate = 0;           ///< The learning rate.
  std::int64_t number = 1;  ///< Of the steps that this optimizer has taken, from 1.
};

/// Moves weights against their gradient. Data in float, sums over a tensor in double.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One step, in place. Both hold the tensors that the optimizer was made for, one after the other.
  virtual void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) = 0;

  /// What it remembers from one step to the next, to be written down and put back.
  virtual std::vector<std::span<float>> state() { return {}; }
};

/// The optimizers that users choose by name.
std::vector<std::string> optimizer_names();

/// With g the gradient plus decay w (decay is 0 for tensors that do not decay), lr the rate and t the step's
/// number:
///   sgd:       w -= lr g
///   momentum:  v = momentum v + g;  w -= lr v  (no dampening, no Nesterov)
///   lars:      momentum of g times lars_rate |w| / (|gradient| + decay |w|), for tensors that decay, each by
///   itself
///              (You et al., arXiv 1708.03888)
///   adam:      m = beta1 m + (1 - beta1) g;  s = beta2 s + (1 - beta2) g^2;
///              w -= lr (m / (1 - beta1^t)) / (sqrt(s / (1 - beta2^t)) + epsilon)  (Kingma and Ba, arXiv
///              1412.6980)
///   lamb:      r = adam's quotient of the gradient alone, plus decay w;  w -= lr |w| / |r| r, each tensor by
///   itself
///              (You et al., arXiv 1904.00962)
/// v, m and s start at 0; a quotient of norms of which one is 0 counts as 1. Throws Error (usage) on another
/// name.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, OptimizedTensors tensors);

}  // namespace adarun::trainer
