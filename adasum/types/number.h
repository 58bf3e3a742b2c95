// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace adasum {

/// A 16-bit number of IEEE 754 (binary16): 11 significant bits, up to 65504. Storage only.
struct Float16 {
  std::uint16_t bits = 0;

  bool operator==(const Float16&) const = default;
};

/// The upper half of a float (bfloat16): 8 significant bits, the range of float. Storage only.
struct BFloat16 {
  std::uint16_t bits = 0;

  bool operator==(const BFloat16&) const = default;
};

/// Exact, also for denormals, infinities and NaN.
inline float to_float(Float16 value) {
  constexpr std::uint32_t infinity = 0x7f80'0000;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  // The exponent's bias is 112 higher in a float; multiplying handles denormals too.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t special = magnitude >= 0x7c00 ? infinity : 0;
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

/// Exact.
inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

/// Rounds to nearest, ties to even; an infinity beyond 65519.99. NaN stays NaN.
inline Float16 to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fff'ffffU;
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  // Adding 0.5 leaves the rounded bits of a denormal half in the low bits of the sum's significand.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                              std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t normal = (magnitude - (112U << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  const std::uint32_t special = magnitude > 0x7f80'0000U ? 0x7e00U : 0x7c00U;
  const std::uint32_t finite = magnitude < 0x3880'0000U ? small : normal;
  return {static_cast<std::uint16_t>((magnitude >= 0x4780'0000U ? special : finite) | sign)};
}

/// Rounds to nearest, ties to even. NaN stays NaN.
inline BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fff'ffffU) > 0x7f80'0000U;
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return {static_cast<std::uint16_t>(is_nan ? (bits >> 16) | 0x40U : rounded)};
}

/// Converts an element of any type to double, exactly.
inline double to_double(double value) {
  return value;
}
inline double to_double(float value) {
  return static_cast<double>(value);
}
inline double to_double(Float16 value) {
  return static_cast<double>(to_float(value));
}
inline double to_double(BFloat16 value) {
  return static_cast<double>(to_float(value));
}

/// Rounds `value` to the nearest element; 16-bit types are rounded to float first.
inline void round_to(double& element, double value) {
  element = value;
}
inline void round_to(float& element, double value) {
  element = static_cast<float>(value);
}
inline void round_to(Float16& element, double value) {
  element = to_float16(static_cast<float>(value));
}
inline void round_to(BFloat16& element, double value) {
  element = to_bfloat16(static_cast<float>(value));
}

}  // namespace adasum
