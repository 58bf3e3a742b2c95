// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adarun::trainer {

struct OptimizerOptions {
  std::string name = "momentum";  ///< One of optimizer_names().
  float learning_rate = 0.02F;    ///< The peak rate of schedules.
  float momentum = 0.9F;          ///< For momentum and lars.
  float weight_decay = 0;
  float beta1 = 0.9F;       ///< For adam and lamb.
  float beta2 = 0.999F;     ///< For adam and lamb.
  float epsilon = 1e-8F;    ///< For adam and lamb.
  float lars_rate = 1e-3F;  ///< The eta of lars.
  bool nesterov = false;    ///< For momentum.
};

/// One tensor of an optimizer.
struct OptimizedTensor {
  std::int64_t count = 0;  ///< Elements.
  bool decays = true;      ///< Weight decay applies to weights, not to biases and normalizations.
  /// Its gradient's rows are centralized (see make_optimizer()); 0: they are not.
  std::int64_t rows = 0;
};
using OptimizedTensors = std::vector<OptimizedTensor>;

/// The loss of this rank's current batch.
struct BatchLoss {
  double value = 0;  ///< Before the step.
  /// Computes it with the weights as they are now, by a forward pass that changes nothing.
  std::function<double()> measure = {};
};

/// The parameters of one step.
struct OptimizerStep {
  float rate = 0;           ///< The learning rate.
  std::int64_t number = 1;  ///< Counts the steps that this optimizer has taken, from 1.
  BatchLoss loss = {};      ///< For optimizers that try several steps.
};

/// Updates weights from their gradient. Data in float, sums over a tensor in double.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One step, in place. Both hold the tensors of the optimizer, one after the other.
  virtual void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) = 0;

  /// Its state between steps, for checkpoints.
  virtual std::vector<std::span<float>> state() { return {}; }

  /// Names what, besides its options, its state depends on; empty: nothing else.
  virtual std::string identity() const { return ""; }
};

/// The optimizers that users can select by name.
std::vector<std::string> optimizer_names();

/// Makes an optimizer. With g the gradient plus decay w (decay is 0 for tensors that do not decay), lr the
/// rate and t the step's number:
///   sgd:       w -= lr g
///   momentum:  v = momentum v + g;  w -= lr v, or with nesterov w -= lr (g + momentum v); no dampening
///   lars:      momentum, with g times lars_rate |w| / (|gradient| + decay |w|) per tensor that decays
///              (You et al., arXiv 1708.03888)
///   adam:      m = beta1 m + (1 - beta1) g;  s = beta2 s + (1 - beta2) g^2;
///              w -= lr (m / (1 - beta1^t)) / (sqrt(s / (1 - beta2^t)) + epsilon)
///              (Kingma and Ba, arXiv 1412.6980)
///   lamb:      r = adam's quotient of the gradient alone, plus decay w;  w -= lr |w| / |r| r, per tensor
///              (You et al., arXiv 1904.00962)
/// Where a tensor has rows, the mean of each row of g is subtracted from it, in place of g (sgd, momentum,
/// adam) or of the gradient (lars, lamb, whose decay is not part of g's direction).
/// v, m and s start at 0. A quotient of norms is 1 if either norm is 0. Throws Error (usage) on another name.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, OptimizedTensors tensors);

}  // namespace adarun::trainer
