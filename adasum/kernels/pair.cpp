// SPDX-License-Identifier: Apache-2.0
#include "adasum/kernels/pair.h"

#include <cassert>
#include <cstddef>

namespace adasum::kernels {

template <typename T>
Dots dots(std::span<const T> a, std::span<const T> b) {
  assert(a.size() == b.size());
  const T* x = a.data();
  const T* y = b.data();
  double ab = 0;
  double aa = 0;
  double bb = 0;
// Lets the compiler add in another order, and so in vector registers (-fopenmp-simd; no OpenMP at run time).
#pragma omp simd reduction(+ : ab, aa, bb)
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double xi = x[i];
    const double yi = y[i];
    ab += xi * yi;
    aa += xi * xi;
    bb += yi * yi;
  }
  return {.ab = ab, .aa = aa, .bb = bb};
}

template <typename T>
void combine(std::span<T> a, double ca, std::span<const T> b, double cb) {
  assert(a.size() == b.size());
  T* out = a.data();
  const T* other = b.data();
#pragma omp simd
  for (std::size_t i = 0; i < a.size(); ++i) {
    out[i] = static_cast<T>(ca * static_cast<double>(out[i]) + cb * static_cast<double>(other[i]));
  }
}

template Dots dots<float>(std::span<const float>, std::span<const float>);
template Dots dots<double>(std::span<const double>, std::span<const double>);
template void combine<float>(std::span<float>, double, std::span<const float>, double);
template void combine<double>(std::span<double>, double, std::span<const double>, double);

}  // namespace adasum::kernels
