// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adarun::trainer {

struct OptimizerOptions {
  std::string name = "momentum";  ///< momentum or sgd.
  float learning_rate = 0.02F;
  float momentum = 0.9F;  ///< Of the optimizer momentum.
  float weight_decay = 0;
};

/// One tensor as an optimizer sees it.
struct OptimizedTensor {
  std::int64_t count = 0;  ///< Elements.
  bool decays = true;      ///< Weight decay is for weights, not for biases.
};

/// Moves weights against their gradient.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One step, in place. Both hold the tensors that the optimizer was made for, one after the other.
  virtual void step(std::span<float> weights, std::span<const float> gradients) = 0;
};

/// sgd:       w -= lr (g + decay w)
/// momentum:  v = momentum v + (g + decay w);  w -= lr v;  v starts at 0
/// (the reference's Momentum: no dampening, no Nesterov). Throws Error (usage) on another name.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          std::vector<OptimizedTensor> tensors);

}  // namespace adarun::trainer
