// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "adasum/types/number.h"

// Single passes over arrays.
namespace adasum::kernels {

/// Whether `data` contains neither NaN nor an infinity. T is float, double, Float16 or BFloat16.
template <typename T>
bool is_finite(std::span<const T> data);

extern template bool is_finite<float>(std::span<const float>);
extern template bool is_finite<double>(std::span<const double>);
extern template bool is_finite<Float16>(std::span<const Float16>);
extern template bool is_finite<BFloat16>(std::span<const BFloat16>);

/// Copies `from` to `to`, of the same size, with non-temporal stores: for data larger than the caches. A
/// plain copy reads the cache lines that it is about to overwrite; this one does not. Ordered with later
/// stores like any other copy (it ends with a store fence).
void stream(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace adasum::kernels
