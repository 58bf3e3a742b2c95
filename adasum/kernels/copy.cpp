// SPDX-License-Identifier: Apache-2.0
// Compiled once for each kind of x86 that Highway knows; the version is selected at run time.
#include "adasum/kernels/copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adasum/kernels/copy.cpp"
#include <hwy/foreach_target.h>  // before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

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

}  // namespace adasum::kernels
#endif
