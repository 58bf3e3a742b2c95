// SPDX-License-Identifier: Apache-2.0
#include "adasum/variants.h"

#include <cstddef>
#include <string>

#include "adasum/error.h"

namespace adasum {

template <typename T>
void combine_delta(std::span<const T> before, std::span<T> weights, std::span<const std::int64_t> counts,
                   Engine& engine) {
  if (before.size() != weights.size()) {
    throw Error("delta of weights: " + std::to_string(before.size()) + " weights before the step, " +
                std::to_string(weights.size()) + " after it");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = before[i] - weights[i];
  engine.allreduce(weights, counts);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = before[i] - weights[i];
}

template void combine_delta<float>(std::span<const float>, std::span<float>, std::span<const std::int64_t>,
                                   Engine&);
template void combine_delta<double>(std::span<const double>, std::span<double>, std::span<const std::int64_t>,
                                    Engine&);

}  // namespace adasum
