// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "trainer/optimizers/optimizer.h"

/// One function per optimizer, and their common code. The formulas are at make_optimizer().
namespace adarun::trainer::optimizers {

using Make = std::unique_ptr<Optimizer>(const OptimizerOptions& options, OptimizedTensors tensors);

Make sgd;
Make momentum;
Make lars;
Make adam;
Make lamb;

/// Whether the optimizer adds decay to the gradient before anything else.
enum class DecayPlace { gradient, inside };

inline std::size_t elements(const OptimizedTensors& tensors) {
  std::size_t total = 0;
  for (const OptimizedTensor& tensor : tensors) total += static_cast<std::size_t>(tensor.count);
  return total;
}

/// Calls `visit(begin, end, decay)` for each tensor in order: its elements, and its weight decay.
template <typename Visit>
void for_each_tensor(const OptimizedTensors& tensors, float weight_decay, Visit visit) {
  std::size_t begin = 0;
  for (const OptimizedTensor& tensor : tensors) {
    const std::size_t end = begin + static_cast<std::size_t>(tensor.count);
    visit(begin, end, tensor.decays ? weight_decay : 0.0F);
    begin = end;
  }
}

/// The Euclidean norm of a vector.
inline double norm(std::span<const float> values) {
  double square = 0;
  for (const float value : values) square += double{value} * double{value};
  return std::sqrt(square);
}

}  // namespace adarun::trainer::optimizers
