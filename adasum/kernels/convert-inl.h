// SPDX-License-Identifier: Apache-2.0
// Included several times by one source, once for each kind of CPU; so the include guard toggles.
#if defined(ADASUM_KERNELS_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASUM_KERNELS_CONVERT_INL_H_
#undef ADASUM_KERNELS_CONVERT_INL_H_
#else
#define ADASUM_KERNELS_CONVERT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "adasum/types/number.h"

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

}  // namespace adasum::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
