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
#include "adasum/layout.h"

HWY_BEFORE_NAMESPACE();
namespace adasum::kernels::HWY_NAMESPACE {

constexpr std::size_t block_size = 128;  // elements: 16 rows of doubles are half of a first-level cache
constexpr std::size_t tile = 4;          // rows by rows whose sums stay in registers

// The sums of every pair of rows, one vector of partial sums each.
struct Sums {
  HWY_ALIGN double lanes[pairs_of(max_rows) * HWY_MAX_BYTES / sizeof(double)];
};

HWY_INLINE double* lanes_of(Sums& sums, std::size_t i, std::size_t j, std::size_t rows) {
  return sums.lanes + pair_index(i, j, rows) * hn::Lanes(Doubles());
}

// Which pairs of a row and a column count: all, or, where rows and columns are the same, one of each two mirror images.
enum class Pairs { all, upper };

// Adds the products of `Rows` rows with `Columns` others, of which left(r, k) and right(c, k) give the vector that
// begins with element k, to the sums at(r, c).
template <Pairs Which, std::size_t Rows, std::size_t Columns, class Left, class Right, class At>
HWY_INLINE void add_products(std::size_t size, const Left& left, const Right& right, const At& at) {
  const Doubles d;
  const auto counts = [](std::size_t r, std::size_t c) HWY_ATTR { return Which == Pairs::all || r <= c; };
  Vector acc[Rows][Columns];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < Rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) acc[r][c] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < size; k += hn::Lanes(d)) {
    Vector columns[Columns];
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) columns[c] = right(c, k);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < Rows; ++r) {
      const Vector row = left(r, k);
      HWY_UNROLL(4)
      for (std::size_t c = 0; c < Columns; ++c) {
        if (counts(r, c)) acc[r][c] = hn::MulAdd(row, columns[c], acc[r][c]);
      }
    }
  }
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < Rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) {
      if (counts(r, c)) hn::Store(hn::Add(hn::Load(d, at(r, c)), acc[r][c]), d, at(r, c));
    }
  }
}

// Rows [i, i + Rows) with rows [j, j + Columns) of a block.
template <Pairs Which, std::size_t Rows, std::size_t Columns>
HWY_INLINE void add_tile(const double (*block)[block_size], std::size_t size, std::size_t i, std::size_t j,
                         std::size_t rows, Sums& sums) {
  add_products<Which, Rows, Columns>(
      size, [=](std::size_t r, std::size_t k) HWY_ATTR { return hn::Load(Doubles(), block[i + r] + k); },
      [=](std::size_t c, std::size_t k) HWY_ATTR { return hn::Load(Doubles(), block[j + c] + k); },
      [&](std::size_t r, std::size_t c) HWY_ATTR { return lanes_of(sums, i + r, j + c, rows); });
}

template <std::size_t Rows>
HWY_INLINE void add_tiles_of(const double (*block)[block_size], std::size_t size, std::size_t i, std::size_t rows,
                             Sums& sums) {
  add_tile<Pairs::upper, Rows, Rows>(block, size, i, i, rows, sums);
  std::size_t j = i + Rows;
  for (; j + tile <= rows; j += tile) add_tile<Pairs::all, Rows, tile>(block, size, i, j, rows, sums);
  for (; j < rows; ++j) add_tile<Pairs::all, Rows, 1>(block, size, i, j, rows, sums);
}

HWY_INLINE void add_block(const double (*block)[block_size], std::size_t size, std::size_t rows, Sums& sums) {
  std::size_t i = 0;
  for (; i + tile <= rows; i += tile) add_tiles_of<tile>(block, size, i, rows, sums);
  for (; i < rows; ++i) add_tiles_of<1>(block, size, i, rows, sums);
}

// By blocks that are widened first, as each row is multiplied more than once; zeroes fill the last vector.
template <typename T>
HWY_INLINE void add_blocks(const T* const* rows, std::size_t count, Range range, Sums& sums) {
  HWY_ALIGN double block[max_rows][block_size];
  for (std::size_t begin = range.begin; begin < range.end; begin += block_size) {
    const std::size_t length = std::min(block_size, range.end - begin);
    const std::size_t padded = hwy::RoundUpTo(length, hn::Lanes(Doubles()));
    for (std::size_t r = 0; r < count; ++r) {
      widen(rows[r] + begin, length, block[r]);
      std::fill(block[r] + length, block[r] + padded, 0.0);
    }
    add_block(block, padded, count, sums);
  }
}

// So few rows that all stay in registers from where they lie. `size`: whole vectors.
template <std::size_t Rows, typename T>
HWY_INLINE void add_few(const T* const* rows, std::size_t size, Sums& sums) {
  const auto row = [=](std::size_t r, std::size_t k) HWY_ATTR { return load(rows[r] + k); };
  const auto at = [&](std::size_t r, std::size_t c) HWY_ATTR { return lanes_of(sums, r, c, Rows); };
  add_products<Pairs::upper, Rows, Rows>(size, row, row, at);
}

template <typename T>
void gram_of(const T* const* rows, std::size_t count, std::size_t size, double* gram) {
  const Doubles d;
  Sums sums;
  std::memset(sums.lanes, 0, pairs_of(count) * hn::Lanes(d) * sizeof(double));
  const std::size_t whole = size / hn::Lanes(d) * hn::Lanes(d);
  if (count == 2) add_few<2>(rows, whole, sums);
  if (count == 4) add_few<4>(rows, whole, sums);
  add_blocks(rows, count, {count == 2 || count == 4 ? whole : 0, size}, sums);
  for (std::size_t i = 0; i < pairs_of(count); ++i)
    gram[i] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums.lanes + i * hn::Lanes(d))));
}

// sums[0 .. Vectors * lanes) = sum of coefficients[r] * rows[r], from element `begin` on.
template <std::size_t Vectors, typename T>
HWY_INLINE void mix_vectors(const T* const* rows, const double* coefficients, std::size_t count, std::size_t begin,
                            double* sums) {
  const Doubles d;
  Vector acc[Vectors];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < Vectors; ++v) acc[v] = hn::Mul(hn::Set(d, coefficients[0]), load(rows[0] + begin + v * hn::Lanes(d)));
  for (std::size_t r = 1; r < count; ++r) {
    const Vector coefficient = hn::Set(d, coefficients[r]);
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < Vectors; ++v)
      acc[v] = hn::MulAdd(coefficient, load(rows[r] + begin + v * hn::Lanes(d)), acc[v]);
  }
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < Vectors; ++v) hn::Store(acc[v], d, sums + v * hn::Lanes(d));
}

template <typename T>
HWY_INLINE void mix_block(const T* const* rows, const double* coefficients, std::size_t count, Range range,
                          double* sums) {
  const std::size_t lanes = hn::Lanes(Doubles());
  std::size_t i = range.begin;
  for (; i + 4 * lanes <= range.end; i += 4 * lanes)
    mix_vectors<4>(rows, coefficients, count, i, sums + (i - range.begin));
  for (; i + lanes <= range.end; i += lanes)
    mix_vectors<1>(rows, coefficients, count, i, sums + (i - range.begin));
  for (; i < range.end; ++i) {
    double sum = coefficients[0] * to_double(rows[0][i]);
    for (std::size_t r = 1; r < count; ++r) sum += coefficients[r] * to_double(rows[r][i]);
    sums[i - range.begin] = sum;
  }
}

template <typename T>
void mix_of(const T* const* rows, const double* coefficients, std::size_t count, std::size_t size, T* const* outs,
            std::size_t out_count) {
  HWY_ALIGN double sums[block_size];
  HWY_ALIGN T rounded[block_size];
  for (std::size_t begin = 0; begin < size; begin += block_size) {
    const std::size_t length = std::min(block_size, size - begin);
    mix_block(rows, coefficients, count, {begin, begin + length}, sums);
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
