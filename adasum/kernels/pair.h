// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/combine.h"

namespace adasum::kernels {

/// a.b, |a|^2 and |b|^2 of two vectors of one length, in one pass. Sums in double; the order of the additions
/// is the compiler's, the same whenever this program is given the same vectors in the same place.
template <typename T>
Dots dots(std::span<const T> a, std::span<const T> b);

/// a = ca * a + cb * b, computed in double and rounded once per element. Coefficients may be beyond the range
/// of T (|a| far below |b| makes ca large) where the result is not.
template <typename T>
void combine(std::span<T> a, double ca, std::span<const T> b, double cb);

extern template Dots dots<float>(std::span<const float>, std::span<const float>);
extern template Dots dots<double>(std::span<const double>, std::span<const double>);
extern template void combine<float>(std::span<float>, double, std::span<const float>, double);
extern template void combine<double>(std::span<double>, double, std::span<const double>, double);

}  // namespace adasum::kernels
