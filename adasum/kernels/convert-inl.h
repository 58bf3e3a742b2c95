// SPDX-License-Identifier: Apache-2.0
// Part of the files that include it, once for each kind of CPU: no include guard of the usual kind.
#if defined(ADASUM_KERNELS_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASUM_KERNELS_CONVERT_INL_H_
#undef ADASUM_KERNELS_CONVERT_INL_H_
#else
#define ADASUM_KERNELS_CONVERT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "adasum/number.h"

HWY_BEFORE_NAMESPACE();
namespace adasum::kernels::HWY_NAMESPACE {

// Elements as doubles, exactly. The compiler makes vectors of both loops, of the CPU that this is compiled for.
template <typename T>
HWY_INLINE void widen(const T* in, std::size_t size, double* out) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) out[i] = to_double(in[i]);
}

template <typename T>
HWY_INLINE void narrow(const double* in, std::size_t size, T* out) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) round_to(out[i], in[i]);
}

}  // namespace adasum::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
