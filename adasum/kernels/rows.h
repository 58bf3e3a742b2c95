// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "adasum/types/number.h"

namespace adasum::kernels {

/// How many rows fit one call of gram().
inline constexpr std::size_t max_rows = 16;

/// The number of pairs of rows, each with itself included: p (p + 1) / 2.
constexpr std::size_t pairs_of(std::size_t rows) {
  return rows * (rows + 1) / 2;
}

/// Where the pair (i, j), i <= j < rows, stands in a list of pairs: 00 01 02 .. 11 12 .. 22 ..
constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t rows) {
  return i * rows - i * (i + 1) / 2 + j;
}

/// Up to so many rows gram() multiplies and adds in double alone; of more it may take products of float.
inline constexpr std::size_t rows_in_double = 4;

/// The dot products of each two of `rows`, `size` elements each, in one pass over them: gram[pair_index(i,
/// j)]. At most max_rows rows of float, double, Float16 or BFloat16. The order of the additions is that of
/// the CPU's vectors, the same whenever this machine is given rows that lie alike in memory.
///
/// Products and sums in double; but of more than rows_in_double rows that are not double, 16 products after
/// each other are multiplied and added in float, where these have no less digits than others, and what comes
/// of that is summed in double. A dot product is then off by at most 2^-20 |a||b|, for which all products
/// have to be rounded the same way; of thousands of numbers that differ by about 2^-30.
template <typename T>
void gram(std::span<const T* const> rows, std::size_t size, std::span<double> gram);

/// A number for the instructions that this CPU is taken to have: machines with the same one add in the same
/// order.
std::int64_t kind_of_cpu();

/// out[i] = sum over the rows r of coefficients[r] * rows[r][i], in double and rounded once, written to each
/// of `outs`, which may be rows themselves. Coefficients may be beyond the range of T where the result is
/// not. Any number of rows.
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
