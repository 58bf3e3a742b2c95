// SPDX-License-Identifier: Apache-2.0
// stream() is compiled once for each kind of processor that Highway knows; the version is selected at run
// time.
#include "adasum/kernels/arrays.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adasum/kernels/arrays.cpp"
#include <hwy/foreach_target.h>  // before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace adasum::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void stream_bytes(const std::byte* from, std::byte* to, std::size_t size) {
  constexpr std::size_t line = 64;  // or a vector, if that is longer
  const hn::ScalableTag<std::uint8_t> bytes;
  const std::size_t step = std::max(line, hn::Lanes(bytes));
  const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(to) % step;
  std::size_t at = std::min(size, (step - misplaced) % step);
  std::memcpy(to, from, at);
  for (; at + step <= size; at += step) {
    const auto* in = reinterpret_cast<const std::uint8_t*>(from + at);
    auto* out = reinterpret_cast<std::uint8_t*>(to + at);
    for (std::size_t i = 0; i < step; i += hn::Lanes(bytes))
      hn::Stream(hn::LoadU(bytes, in + i), bytes, out + i);
  }
  std::memcpy(to + at, from + at, size - at);
  hwy::FlushStream();
}

}  // namespace adasum::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adasum::kernels {

HWY_EXPORT(stream_bytes);

void stream(std::span<const std::byte> from, std::span<std::byte> to) {
  if (!from.empty()) HWY_DYNAMIC_DISPATCH(stream_bytes)(from.data(), to.data(), from.size());
}

namespace {

// A comparison with NaN is false.
template <typename T>
int is_other(T value) {
  return std::abs(value) <= std::numeric_limits<T>::max() ? 0 : 1;
}
int is_other(Float16 value) {
  return (value.bits & 0x7c00U) == 0x7c00U ? 1 : 0;
}
int is_other(BFloat16 value) {
  return (value.bits & 0x7f80U) == 0x7f80U ? 1 : 0;
}

}  // namespace

template <typename T>
bool is_finite(std::span<const T> data) {
  const T* values = data.data();
  int others = 0;
// No early exit, so that the compiler vectorises the loop.
#pragma omp simd reduction(| : others)
  for (std::size_t i = 0; i < data.size(); ++i) others |= is_other(values[i]);
  return others == 0;
}

template bool is_finite<float>(std::span<const float>);
template bool is_finite<double>(std::span<const double>);
template bool is_finite<Float16>(std::span<const Float16>);
template bool is_finite<BFloat16>(std::span<const BFloat16>);

}  // namespace adasum::kernels
#endif
