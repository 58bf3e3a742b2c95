// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/types/number.h"

namespace adasum::kernels {

/// Whether `data` contains neither NaN nor an infinity. T is float, double, Float16 or BFloat16.
template <typename T>
bool is_finite(std::span<const T> data);

extern template bool is_finite<float>(std::span<const float>);
extern template bool is_finite<double>(std::span<const double>);
extern template bool is_finite<Float16>(std::span<const Float16>);
extern template bool is_finite<BFloat16>(std::span<const BFloat16>);

}  // namespace adasum::kernels
