// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace adasum {

/// A number of 16 bits as IEEE 754 has it (binary16): 11 significant bits, up to 65504. Storage only.
struct Float16 {
  std::uint16_t bits = 0;

  bool operator==(const Float16&) const = default;
};

/// The upper half of a float (bfloat16): 8 significant bits, the range of float. Storage only.
struct BFloat16 {
  std::uint16_t bits = 0;

  bool operator==(const BFloat16&) const = default;
};

/// Exact, denormals, infinities and NaN included.
inline float to_float(Float16 value) {
  constexpr std::uint32_t infinity = 0x7f80'0000;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  // The exponent's bias is 112 higher in a float; a product takes denormals along.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t special = magnitude >= 0x7c00 ? infinity : 0;
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

/// Exact.
inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

/// The nearest, of two the even one; beyond 65519.99 an infinity. NaN stays NaN.
inline Float16 to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fff'ffffU;
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  // Adding 0.5 leaves the bits of a denormal half, rounded, at the end of the sum's significand.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                              std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t normal = (magnitude - (112U << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  const std::uint32_t special = magnitude > 0x7f80'0000U ? 0x7e00U : 0x7c00U;
  const std::uint32_t finite = magnitude < 0x3880'0000U ? small : normal;
  return {static_cast<std::uint16_t>((magnitude >= 0x4780'0000U ? special : finite) | sign)};
}

/// The nearest, of two the even one. NaN stays NaN.
inline BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fff'ffffU) > 0x7f80'0000U;
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return {static_cast<std::uint16_t>(is_nan ? (bits >> 16) | 0x40U : rounded)};
}

/// An element of any type as double, exactly.
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

/// The element nearest to `value`; those of 16 bits are rounded to float on the way.
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
