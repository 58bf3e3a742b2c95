// SPDX-License-Identifier: Apache-2.0
// Compiled once for each kind of processor that Highway knows; the version is selected at run time.
#include "adasum/kernels/rows.h"

// Vectors of SVE have no size that is known here: there are no arrays of them.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adasum/kernels/rows.cpp"
#include <hwy/foreach_target.h>  // before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "adasum/types/layout.h"

HWY_BEFORE_NAMESPACE();
namespace adasum::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;
using Floats = hn::Rebind<float, Doubles>;  // as many lanes as Doubles

// Loads as many elements as `floats` has lanes and converts them to float, exactly: to_float of each.
template <class D>
HWY_INLINE hn::Vec<D> load_floats(D floats, const float* in) {
  return hn::LoadU(floats, in);
}

template <class D>
HWY_INLINE hn::Vec<hn::Rebind<std::int32_t, D>> load_bits(D, const std::uint16_t* in) {
  return hn::PromoteTo(hn::Rebind<std::int32_t, D>(), hn::LoadU(hn::Rebind<std::uint16_t, D>(), in));
}

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D floats, const BFloat16* in) {
  return hn::BitCast(floats, hn::ShiftLeft<16>(load_bits(floats, &in->bits)));
}

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D floats, const Float16* in) {
  const hn::Rebind<std::int32_t, D> words;
  const auto bits = load_bits(floats, &in->bits);
  const auto magnitude = hn::And(bits, hn::Set(words, 0x7fff));
  const auto scaled = hn::Mul(hn::BitCast(floats, hn::ShiftLeft<13>(magnitude)), hn::Set(floats, 0x1p112F));
  const auto infinity = hn::Set(words, 0x7f80'0000);
  const auto special = hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(words, 0x7bff)), infinity);
  const auto sign = hn::ShiftLeft<16>(hn::AndNot(hn::Set(words, 0x7fff), bits));
  return hn::BitCast(floats, hn::Or(hn::BitCast(words, scaled), hn::Or(special, sign)));
}

// Loads as many elements as a vector has lanes and converts them to double, exactly: to_double of each.
HWY_INLINE Vector load(const double* in) {
  return hn::LoadU(Doubles(), in);
}

template <typename T>
HWY_INLINE Vector load(const T* in) {
  return hn::PromoteTo(Doubles(), load_floats(Floats(), in));
}

template <typename T>
HWY_INLINE void widen(const T* in, std::size_t size, double* out) {
  const std::size_t lanes = hn::Lanes(Doubles());
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(load(in + i), Doubles(), out + i);
  for (; i < size; ++i) out[i] = to_double(in[i]);
}

// Rounded. The compiler vectorises the loop for the CPU that this is compiled for.
template <typename T>
HWY_INLINE void narrow(const double* in, std::size_t size, T* out) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) round_to(out[i], in[i]);
}

HWY_INLINE void narrow(const double* in, std::size_t size, float* out) {
  const std::size_t lanes = hn::Lanes(Doubles());
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    hn::StoreU(hn::DemoteTo(Floats(), hn::LoadU(Doubles(), in + i)), Floats(), out + i);
  for (; i < size; ++i) round_to(out[i], in[i]);
}

constexpr std::size_t block_size = 128;  // elements: 16 rows of doubles fill half of a first-level cache
constexpr std::size_t tile = 4;          // the sums of tile x tile pairs of rows stay in registers
constexpr std::size_t chain = 16;        // consecutive products of float that are summed in float

// The sums of every pair of rows, one vector of partial sums each.
struct Sums {
  HWY_ALIGN double lanes[pairs_of(max_rows) * HWY_MAX_BYTES / sizeof(double)];
};

HWY_INLINE double* lanes_of(Sums& sums, std::size_t i, std::size_t j, std::size_t rows) {
  return sums.lanes + pair_index(i, j, rows) * hn::Lanes(Doubles());
}

// Which pairs of a row and a column are computed: all; or, if rows and columns are the same, one of each two
// mirrored pairs.
enum class Pairs { all, upper };

// Adds up the products of `Rows` rows with `Columns` others, the columns. left(r, k) and right(c, k) return
// the vector that begins at element k. Calls take(r, c, sum) with each sum, a vector of `d`.
template <Pairs Which, std::size_t Rows, std::size_t Columns, class D, class Left, class Right, class Take>
HWY_INLINE void multiply(D d, std::size_t size, const Left& left, const Right& right, const Take& take) {
  const auto counts = [](std::size_t r, std::size_t c) HWY_ATTR { return Which == Pairs::all || r <= c; };
  hn::Vec<D> acc[Rows][Columns];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < Rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) acc[r][c] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < size; k += hn::Lanes(d)) {
    hn::Vec<D> columns[Columns];
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < Columns; ++c) columns[c] = right(c, k);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto row = left(r, k);
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
      if (counts(r, c)) take(r, c, acc[r][c]);
    }
  }
}

HWY_INLINE void add(double* lanes, Vector sum) {
  hn::Store(hn::Add(hn::Load(Doubles(), lanes), sum), Doubles(), lanes);
}

// Elements of all rows, already widened to double.
struct WideTiles {
  const double (*block)[block_size];
  std::size_t size;
  std::size_t rows;
  Sums& sums;

  // Rows [i, i + Rows) with rows [j, j + Columns).
  template <Pairs Which, std::size_t Rows, std::size_t Columns>
  HWY_INLINE void add_tile(std::size_t i, std::size_t j) const {
    multiply<Which, Rows, Columns>(
        Doubles(), size,
        [&](std::size_t r, std::size_t k) HWY_ATTR { return hn::Load(Doubles(), block[i + r] + k); },
        [&](std::size_t c, std::size_t k) HWY_ATTR { return hn::Load(Doubles(), block[j + c] + k); },
        [&](std::size_t r, std::size_t c, Vector sum)
            HWY_ATTR { add(lanes_of(sums, i + r, j + c, rows), sum); });
  }
};

template <class Tiles>
HWY_INLINE void add_tiles(const Tiles& tiles, std::size_t rows) {
  std::size_t i = 0;
  for (; i + tile <= rows; i += tile) {
    tiles.template add_tile<Pairs::upper, tile, tile>(i, i);
    std::size_t j = i + tile;
    for (; j + tile <= rows; j += tile) tiles.template add_tile<Pairs::all, tile, tile>(i, j);
    for (; j < rows; ++j) tiles.template add_tile<Pairs::all, tile, 1>(i, j);
  }
  for (; i < rows; ++i) {
    for (std::size_t j = i; j < rows; ++j) tiles.template add_tile<Pairs::all, 1, 1>(i, j);
  }
}

// Widens block by block, because each row is multiplied several times; zeroes pad the last vector.
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
    add_tiles(WideTiles{block, padded, count, sums}, count);
  }
}

// For so few rows that all fit in registers; reads them in place. `size`: a multiple of the vector size.
template <std::size_t Rows, typename T>
HWY_INLINE void add_few(const T* const* rows, std::size_t size, Sums& sums) {
  const auto row = [=](std::size_t r, std::size_t k) HWY_ATTR { return load(rows[r] + k); };
  multiply<Pairs::upper, Rows, Rows>(Doubles(), size, row, row,
                                     [&](std::size_t r, std::size_t c, Vector sum)
                                         HWY_ATTR { add(lanes_of(sums, r, c, Rows), sum); });
}

#if HWY_TARGET == HWY_SCALAR
template <typename T>
HWY_INLINE std::size_t add_chains(const T* const*, std::size_t, std::size_t, Sums&) {
  return 0;
}
#else

using WholeFloats = hn::ScalableTag<float>;

// Elements of all rows from `begin` on, read in place.
template <typename T>
struct ChainTiles {
  const T* const* elements;
  std::size_t begin;
  std::size_t size;
  std::size_t rows;
  Sums& sums;

  template <Pairs Which, std::size_t Rows, std::size_t Columns>
  HWY_INLINE void add_tile(std::size_t i, std::size_t j) const {
    const WholeFloats floats;
    multiply<Which, Rows, Columns>(
        floats, size,
        [&](std::size_t r, std::size_t k)
            HWY_ATTR { return load_floats(floats, elements[i + r] + begin + k); },
        [&](std::size_t c, std::size_t k)
            HWY_ATTR { return load_floats(floats, elements[j + c] + begin + k); },
        [&](std::size_t r, std::size_t c, hn::Vec<WholeFloats> sum) HWY_ATTR {
          const auto halves = hn::Add(hn::LowerHalf(sum), hn::UpperHalf(Floats(), sum));
          add(lanes_of(sums, i + r, j + c, rows), hn::PromoteTo(Doubles(), halves));
        });
  }
};

// Multiplies in chains of `chain` products in float, and adds their sums in double. Returns how many elements
// it processed. Where rows are in memory does not matter: a run that is repeated has the same bits.
template <typename T>
HWY_INLINE std::size_t add_chains(const T* const* rows, std::size_t count, std::size_t size, Sums& sums) {
  const std::size_t lanes = hn::Lanes(WholeFloats());
  const std::size_t step = chain * lanes;
  std::size_t done = 0;
  for (; done + step <= size; done += step) add_tiles(ChainTiles<T>{rows, done, step, count, sums}, count);
  return done;
}
#endif

HWY_INLINE double sum_of(const Sums& sums, std::size_t pair) {
  const Doubles d;
  return hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums.lanes + pair * hn::Lanes(d))));
}

template <typename T>
HWY_INLINE bool is_zero(const T* row, std::size_t size) {
  return to_double(row[0]) == 0 && std::memcmp(row, row + 1, (size - 1) * sizeof(T)) == 0;
}

// Whether products of float neither left the range of float nor lost digits at its lower end.
template <typename T>
HWY_INLINE bool have_digits(const T* const* rows, std::size_t count, std::size_t size, const Sums& sums) {
  for (std::size_t r = 0; r < count; ++r) {
    const double square = sum_of(sums, pair_index(r, r, count)) / static_cast<double>(size);
    const bool good = square > 0x1p-100 && square < 0x1p100;
    if (!good && !(square == 0 && is_zero(rows[r], size))) return false;
  }
  return true;
}

// For more rows than add_few takes. Returns how many elements it processed.
template <typename T>
HWY_INLINE std::size_t add_many(const T* const* rows, std::size_t count, std::size_t size, Sums& sums) {
  const std::size_t done = add_chains(rows, count, size, sums);
  if (done > 0 && have_digits(rows, count, done, sums)) return done;
  std::memset(sums.lanes, 0, pairs_of(count) * hn::Lanes(Doubles()) * sizeof(double));
  return 0;
}
HWY_INLINE std::size_t add_many(const double* const*, std::size_t, std::size_t, Sums&) {
  return 0;
}

template <typename T>
void gram_of(const T* const* rows, std::size_t count, std::size_t size, double* gram) {
  const Doubles d;
  Sums sums;
  std::memset(sums.lanes, 0, pairs_of(count) * hn::Lanes(d) * sizeof(double));
  std::size_t done = 0;
  if (count == 2 || count == 4) done = size / hn::Lanes(d) * hn::Lanes(d);
  if (count == 2) add_few<2>(rows, done, sums);
  if (count == 4) add_few<4>(rows, done, sums);
  if (count > 4) done = add_many(rows, count, size, sums);
  add_blocks(rows, count, {done, size}, sums);
  for (std::size_t i = 0; i < pairs_of(count); ++i) gram[i] = sum_of(sums, i);
}

// sums[0 .. Vectors * lanes) = sum of coefficients[r] * rows[r], from element `begin` on.
template <std::size_t Vectors, typename T>
HWY_INLINE void mix_vectors(const T* const* rows, const double* coefficients, std::size_t count,
                            std::size_t begin, double* sums) {
  const Doubles d;
  Vector acc[Vectors];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < Vectors; ++v)
    acc[v] = hn::Mul(hn::Set(d, coefficients[0]), load(rows[0] + begin + v * hn::Lanes(d)));
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
  // Rounded as in whole vectors: on other ranks an element may be in one.
  const hn::CappedTag<double, 1> one;
  for (; i < range.end; ++i) {
    auto sum = hn::Mul(hn::Set(one, coefficients[0]), hn::Set(one, to_double(rows[0][i])));
    for (std::size_t r = 1; r < count; ++r)
      sum = hn::MulAdd(hn::Set(one, coefficients[r]), hn::Set(one, to_double(rows[r][i])), sum);
    sums[i - range.begin] = hn::GetLane(sum);
  }
}

// NOLINTBEGIN(readability-function-size, bugprone-macro-parentheses): six parameters; T is a type
template <typename T>
void mix_of(const T* const* rows, const double* coefficients, std::size_t count, std::size_t size,
            T* const* outs, std::size_t out_count) {
  HWY_ALIGN double sums[block_size];
  HWY_ALIGN T rounded[block_size];
  for (std::size_t begin = 0; begin < size; begin += block_size) {
    const std::size_t length = std::min(block_size, size - begin);
    mix_block(rows, coefficients, count, {begin, begin + length}, sums);
    narrow(sums, length, rounded);
    for (std::size_t o = 0; o < out_count; ++o) std::memcpy(outs[o] + begin, rounded, length * sizeof(T));
  }
}

#define ADASUM_DEFINE(T)                                                                              \
  void gram_##T(const T* const* rows, std::size_t count, std::size_t size, double* gram) {            \
    gram_of<T>(rows, count, size, gram);                                                              \
  }                                                                                                   \
  void mix_##T(const T* const* rows, const double* coefficients, std::size_t count, std::size_t size, \
               T* const* outs, std::size_t out_count) {                                               \
    mix_of<T>(rows, coefficients, count, size, outs, out_count);                                      \
  }
ADASUM_DEFINE(float)
ADASUM_DEFINE(double)
ADASUM_DEFINE(Float16)
ADASUM_DEFINE(BFloat16)
#undef ADASUM_DEFINE
// NOLINTEND(readability-function-size, bugprone-macro-parentheses)

}  // namespace adasum::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adasum::kernels {

std::int64_t kind_of_cpu() {
  return hwy::SupportedTargets();
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define ADASUM_EXPORT(T)                                                                              \
  HWY_EXPORT(gram_##T);                                                                               \
  HWY_EXPORT(mix_##T);                                                                                \
  template <>                                                                                         \
  void gram<T>(std::span<const T* const> rows, std::size_t size, std::span<double> gram) {            \
    assert(rows.size() <= max_rows && gram.size() == pairs_of(rows.size()));                          \
    HWY_DYNAMIC_DISPATCH(gram_##T)(rows.data(), rows.size(), size, gram.data());                      \
  }                                                                                                   \
  template <>                                                                                         \
  void mix<T>(std::span<const T* const> rows, std::span<const double> coefficients, std::size_t size, \
              std::span<T* const> outs) {                                                             \
    assert(!rows.empty() && coefficients.size() == rows.size());                                      \
    HWY_DYNAMIC_DISPATCH(mix_##T)                                                                     \
    (rows.data(), coefficients.data(), rows.size(), size, outs.data(), outs.size());                  \
  }
ADASUM_EXPORT(float)
ADASUM_EXPORT(double)
ADASUM_EXPORT(Float16)
ADASUM_EXPORT(BFloat16)
#undef ADASUM_EXPORT
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace adasum::kernels
#endif
