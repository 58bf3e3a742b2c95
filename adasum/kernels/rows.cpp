// SPDX-License-Identifier: Apache-2.0
// Compiled once for each kind of x86 that Highway knows; which one runs is chosen when it runs.
#include "adasum/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adasum/kernels/rows.cpp"
#include <hwy/foreach_target.h>  // before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "adasum/kernels/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adasum::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t block_size = 128;  // elements: 16 rows of doubles are half of a first-level cache
constexpr std::size_t tile = 4;          // rows by rows whose sums stay in registers

using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;

// The sums of every pair of rows, one vector of partial sums each.
struct Sums {
  HWY_ALIGN double lanes[pairs_of(max_rows) * HWY_MAX_BYTES / sizeof(double)];
};

HWY_INLINE double* lanes_of(Sums& sums, std::size_t i, std::size_t j, std::size_t rows) {
  return sums.lanes + pair_index(i, j, rows) * hn::Lanes(Doubles());
}

// Adds the products of rows [i, i + Rows) with rows [j, j + Columns) of a block. Where i == j only half of them
// count, but sorting them out costs more.
template <std::size_t Rows, std::size_t Columns>
HWY_INLINE void add_tile(const double (*block)[block_size], std::size_t size, std::size_t i, std::size_t j,
                         std::size_t rows, Sums& sums) {
  const Doubles d;
  Vector acc[Rows][Columns];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < Rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) acc[r][c] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < size; k += hn::Lanes(d)) {
    Vector right[Columns];
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) right[c] = hn::Load(d, block[j + c] + k);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < Rows; ++r) {
      const Vector left = hn::Load(d, block[i + r] + k);
      HWY_UNROLL(4)
      for (std::size_t c = 0; c < Columns; ++c) acc[r][c] = hn::MulAdd(left, right[c], acc[r][c]);
    }
  }
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < Rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) {
      if (i + r > j + c) continue;
      double* lanes = lanes_of(sums, i + r, j + c, rows);
      hn::Store(hn::Add(hn::Load(d, lanes), acc[r][c]), d, lanes);
    }
  }
}

template <std::size_t Rows>
HWY_INLINE void add_tiles_of(const double (*block)[block_size], std::size_t size, std::size_t i, std::size_t rows,
                             Sums& sums) {
  std::size_t j = i;
  for (; j + tile <= rows; j += tile) add_tile<Rows, tile>(block, size, i, j, rows, sums);
  for (; j < rows; ++j) add_tile<Rows, 1>(block, size, i, j, rows, sums);
}

HWY_INLINE void add_block(const double (*block)[block_size], std::size_t size, std::size_t rows, Sums& sums) {
  if (rows == 2) {
    add_tile<1, 2>(block, size, 0, 0, rows, sums);
    add_tile<1, 1>(block, size, 1, 1, rows, sums);
    return;
  }
  std::size_t i = 0;
  for (; i + tile <= rows; i += tile) add_tiles_of<tile>(block, size, i, rows, sums);
  for (; i < rows; ++i) add_tiles_of<1>(block, size, i, rows, sums);
}

template <typename T>
void gram_of(const T* const* rows, std::size_t count, std::size_t size, double* gram) {
  const Doubles d;
  HWY_ALIGN double block[max_rows][block_size];
  Sums sums;
  std::memset(sums.lanes, 0, pairs_of(count) * hn::Lanes(d) * sizeof(double));
  for (std::size_t begin = 0; begin < size; begin += block_size) {
    const std::size_t length = std::min(block_size, size - begin);
    const std::size_t padded = hwy::RoundUpTo(length, hn::Lanes(d));
    for (std::size_t r = 0; r < count; ++r) {
      widen(rows[r] + begin, length, block[r]);
      std::fill(block[r] + length, block[r] + padded, 0.0);
    }
    add_block(block, padded, count, sums);
  }
  for (std::size_t i = 0; i < pairs_of(count); ++i)
    gram[i] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums.lanes + i * hn::Lanes(d))));
}

// sums[k] = or += coefficient * row[k].
HWY_INLINE void add_row(const double* row, double coefficient, std::size_t size, bool first, double* sums) {
  const Doubles d;
  const Vector c = hn::Set(d, coefficient);
  for (std::size_t k = 0; k < size; k += hn::Lanes(d)) {
    const Vector x = hn::Load(d, row + k);
    hn::Store(first ? hn::Mul(c, x) : hn::MulAdd(c, x, hn::Load(d, sums + k)), d, sums + k);
  }
}

template <typename T>
void mix_of(const T* const* rows, const double* coefficients, std::size_t count, std::size_t size, T* const* outs,
            std::size_t out_count) {
  HWY_ALIGN double row[block_size];
  HWY_ALIGN double sums[block_size];
  HWY_ALIGN T rounded[block_size];
  for (std::size_t begin = 0; begin < size; begin += block_size) {
    const std::size_t length = std::min(block_size, size - begin);
    const std::size_t padded = hwy::RoundUpTo(length, hn::Lanes(Doubles()));
    for (std::size_t r = 0; r < count; ++r) {
      widen(rows[r] + begin, length, row);
      std::fill(row + length, row + padded, 0.0);
      add_row(row, coefficients[r], padded, r == 0, sums);
    }
    narrow(sums, length, rounded);
    for (std::size_t o = 0; o < out_count; ++o) std::memcpy(outs[o] + begin, rounded, length * sizeof(T));
  }
}

#define ADASUM_DEFINE(T)                                                                                 \
  void gram_##T(const T* const* rows, std::size_t count, std::size_t size, double* gram) {               \
    gram_of<T>(rows, count, size, gram);                                                                 \
  }                                                                                                      \
  void mix_##T(const T* const* rows, const double* coefficients, std::size_t count, std::size_t size,    \
               T* const* outs, std::size_t out_count) {                                                  \
    mix_of<T>(rows, coefficients, count, size, outs, out_count);                                         \
  }
ADASUM_DEFINE(float)
ADASUM_DEFINE(double)
ADASUM_DEFINE(Float16)
ADASUM_DEFINE(BFloat16)
#undef ADASUM_DEFINE

}  // namespace adasum::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adasum::kernels {

#define ADASUM_EXPORT(T)                                                                                     \
  HWY_EXPORT(gram_##T);                                                                                      \
  HWY_EXPORT(mix_##T);                                                                                       \
  template <>                                                                                                \
  void gram<T>(std::span<const T* const> rows, std::size_t size, std::span<double> gram) {                   \
    assert(rows.size() <= max_rows && gram.size() == pairs_of(rows.size()));                                 \
    HWY_DYNAMIC_DISPATCH(gram_##T)(rows.data(), rows.size(), size, gram.data());                             \
  }                                                                                                          \
  template <>                                                                                                \
  void mix<T>(std::span<const T* const> rows, std::span<const double> coefficients, std::size_t size,        \
              std::span<T* const> outs) {                                                                    \
    assert(!rows.empty() && coefficients.size() == rows.size());                                             \
    HWY_DYNAMIC_DISPATCH(mix_##T)                                                                            \
    (rows.data(), coefficients.data(), rows.size(), size, outs.data(), outs.size());                         \
  }
ADASUM_EXPORT(float)
ADASUM_EXPORT(double)
ADASUM_EXPORT(Float16)
ADASUM_EXPORT(BFloat16)
#undef ADASUM_EXPORT

}  // namespace adasum::kernels
#endif
