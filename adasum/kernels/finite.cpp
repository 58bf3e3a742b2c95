// SPDX-License-Identifier: Apache-2.0
#include "adasum/kernels/finite.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace adasum::kernels {
namespace {

// A comparison with NaN is false.
template <typename T>
int is_other(T value) {
  return std::abs(value) <= std::numeric_limits<T>::max() ? 0 : 1;
}
int is_other(Float16 value) {
  return (value.bits & 0x7c00U) == 0x7c00U ? 1 : 0;
}
int is_other(BFloat16 value) {
  return (value.bits & 0x7f80U) == 0x7f80U ? 1 : 0;
}

}  // namespace

template <typename T>
bool is_finite(std::span<const T> data) {
  const T* values = data.data();
  int others = 0;
// No early exit, so that the compiler vectorises the loop.
#pragma omp simd reduction(| : others)
  for (std::size_t i = 0; i < data.size(); ++i) others |= is_other(values[i]);
  return others == 0;
}

template bool is_finite<float>(std::span<const float>);
template bool is_finite<double>(std::span<const double>);
template bool is_finite<Float16>(std::span<const Float16>);
template bool is_finite<BFloat16>(std::span<const BFloat16>);

}  // namespace adasum::kernels
