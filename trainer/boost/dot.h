// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace adarun::trainer {

/// The sum of a[i] b[i] in double, always in the same order: eight sums, which processors can compute side by
/// side.
inline double dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= a.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += double{a[i + lane]} * double{b[i + lane]};
  }
  double sum = 0;
  for (; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace adarun::trainer
