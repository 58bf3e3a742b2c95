// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "monitor/base/text.h"

namespace adarun::monitor {

static_assert(std::endian::native == std::endian::little, "eight digits are read as a little-endian word");

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

inline std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, word_bytes);
  return word;
}

/// The number formed by the first `count` bytes of a word, which are digits; `count` is 1 to 8.
inline std::uint64_t value_of_digits(std::uint64_t word, unsigned count) {
  // Shifts zeros in before the digits' values; then joins neighbours into numbers of two digits, four, eight.
  word = (word << (64 - 8 * count)) & 0x0f0f0f0f0f0f0f0fU;
  word = word * 10 + (word >> 8U);
  constexpr std::uint64_t low = 0x000000ff000000ffU;
  return ((word & low) * 0x000f424000000064U + ((word >> 16U) & low) * 0x0000271000000001U) >> 32U;
}

/// How many bytes of a word are digits before the first other byte.
inline unsigned count_of_digits(std::uint64_t word) {
  // Sets the high bit of each byte that is not a digit; exact up to the first such byte.
  const std::uint64_t others =
      ((word + 0x4646464646464646U) | (word - 0x3030303030303030U)) & 0x8080808080808080U;
  return static_cast<unsigned>(std::countr_zero(others)) / 8;
}

/// Appends the digits at the beginning of the word at `at` to `number`; returns how many there are, at most
/// 8.
inline unsigned append_digits(const char* at, std::uint64_t& number) {
  static constexpr std::array<std::uint64_t, 9> powers{1,       10,        100,        1'000,      10'000,
                                                       100'000, 1'000'000, 10'000'000, 100'000'000};
  const std::uint64_t word = word_at(at);
  const unsigned count = count_of_digits(word);
  if (count > 0) number = number * powers[count] + value_of_digits(word, count);
  return count;
}

/// Reads a run of digits, appends them to `number`, eight at a time, and returns the place after it. More
/// than 19 digits overflow `number`.
inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) {
  while (end - at >= static_cast<std::ptrdiff_t>(word_bytes)) {
    const unsigned count = append_digits(at, number);
    at += count;
    if (count < word_bytes) return at;
  }
  for (; at != end && is_digit(*at); ++at) number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

/// Returns the place after a run of digits.
inline const char* skip_digits(const char* at, const char* end) {
  while (end - at >= static_cast<std::ptrdiff_t>(word_bytes)) {
    const unsigned count = count_of_digits(word_at(at));
    at += count;
    if (count < word_bytes) return at;
  }
  while (at != end && is_digit(*at)) ++at;
  return at;
}

/// Integers up to `most_exact`, and these powers of ten, are exact as doubles. Their product or quotient is
/// rounded only once, so it is correctly rounded (Clinger, "How to read floating point numbers accurately",
/// 1990).
inline constexpr std::uint64_t most_exact = std::uint64_t{1} << 53U;
inline constexpr std::array<double, 23> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// A number in the form of most losses, "2.302585124969482": a digit, a point, and up to 16 decimals.
struct ShortDecimal {
  std::uint64_t digits = 0;
  unsigned decimals = 0;

  /// Reads the number and moves past it. Returns false and does not move if the text has another form or
  /// fewer than 19 bytes are left.
  bool take(const char*& at, const char* end) {
    constexpr std::ptrdiff_t most = 2 + 2 * word_bytes + 1;
    if (end - at < most || !is_digit(at[0]) || at[1] != '.') return false;
    digits = static_cast<std::uint64_t>(at[0] - '0');
    const char* const point = at + 1;
    decimals = append_digits(point + 1, digits);
    if (decimals == word_bytes) decimals += append_digits(point + 1 + word_bytes, digits);
    if (is_digit(point[1 + decimals])) return false;
    at = point + 1 + decimals;
    return true;
  }

  /// Whether `value` is correctly rounded.
  bool is_exact() const { return digits <= most_exact; }
  double value() const { return static_cast<double>(digits) / powers_of_ten[decimals]; }
};

/// Reads the number at `at` and moves past it. Accepts what std::from_chars accepts for a double (decimals,
/// exponents, nan, inf, a minus) and gives the same bits. Numbers of up to about 15 digits without an
/// exponent, like most in logs, are read several times faster. Returns false and does not move if there is no
/// number or it is out of range.
bool read_decimal(const char*& at, const char* end, double& value);

}  // namespace adarun::monitor
