// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "monitor/parse/characters.h"
#include "monitor/parse/digits.h"

namespace adarun::monitor {

/// Integers up to here, and these powers of ten, are doubles: their product or quotient is rounded once, so
/// it is exact (Clinger, "How to read floating point numbers accurately", 1990).
inline constexpr std::uint64_t most_exact = std::uint64_t{1} << 53U;
inline constexpr std::array<double, 23> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The digits of a number as most losses are, "2.302585124969482": a digit, a point, and up to 16 decimals.
struct ShortDecimal {
  std::uint64_t digits = 0;
  unsigned decimals = 0;

  /// Moves behind it; false, and nowhere moved, where there is another or fewer than 19 bytes are left.
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

  /// Whether `value` is exact.
  bool is_exact() const { return digits <= most_exact; }
  double value() const { return static_cast<double>(digits) / powers_of_ten[decimals]; }
};

}  // namespace adarun::monitor
