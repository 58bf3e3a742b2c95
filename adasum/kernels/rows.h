// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "adasum/types/number.h"

namespace adasum::kernels {

/// The largest number of rows for one call of gram().
inline constexpr std::size_t max_rows = 16;

/// The number of pairs of rows, including each row with itself: p (p + 1) / 2.
constexpr std::size_t pairs_of(std::size_t rows) {
  return rows * (rows + 1) / 2;
}

/// The index of the pair (i, j), i <= j < rows, in a list of pairs: 00 01 02 .. 11 12 .. 22 ..
constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t rows) {
  return i * rows - i * (i + 1) / 2 + j;
}

/// For up to this many rows, gram() multiplies and adds only in double; for more it may multiply in float.
inline constexpr std::size_t rows_in_double = 4;

/// The dot products of every two of `rows`, `size` elements each, in one pass: gram[pair_index(i, j)]. At
/// most max_rows rows of float, double, Float16 or BFloat16. The order of the additions depends on the CPU's
/// vectors, not on where rows are in memory.
///
/// Products and sums are in double, except for more than rows_in_double rows of another type than double:
/// then 16 consecutive products are multiplied and added in float, if float keeps enough digits, and the
/// results are summed in double. The error of a dot product is then at most 2^-20 |a||b|, reached only if all
/// products are rounded in the same direction; for thousands of different numbers it is about 2^-30 |a||b|.
template <typename T>
void gram(std::span<const T* const> rows, std::size_t size, std::span<double> gram);

/// A number for the instructions that the kernels use on this CPU: machines with the same number add in the
/// same order.
std::int64_t kind_of_cpu();

/// out[i] = sum over the rows r of coefficients[r] * rows[r][i], in double and rounded once, written to each
/// of `outs`, which may be rows. Coefficients may exceed the range of T if the result does not. Any number of
/// rows.
template <typename T>
void mix(std::span<const T* const> rows, std::span<const double> coefficients, std::size_t size,
         std::span<T* const> outs);

template <>
void gram<float>(std::span<const float* const>, std::size_t, std::span<double>);
template <>
void mix<float>(std::span<const float* const>, std::span<const double>, std::size_t, std::span<float* const>);
template <>
void gram<double>(std::span<const double* const>, std::size_t, std::span<double>);
template <>
void mix<double>(std::span<const double* const>, std::span<const double>, std::size_t,
                 std::span<double* const>);
template <>
void gram<Float16>(std::span<const Float16* const>, std::size_t, std::span<double>);
template <>
void mix<Float16>(std::span<const Float16* const>, std::span<const double>, std::size_t,
                  std::span<Float16* const>);
template <>
void gram<BFloat16>(std::span<const BFloat16* const>, std::size_t, std::span<double>);
template <>
void mix<BFloat16>(std::span<const BFloat16* const>, std::span<const double>, std::size_t,
                   std::span<BFloat16* const>);

}  // namespace adasum::kernels
