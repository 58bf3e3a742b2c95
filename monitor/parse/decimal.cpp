// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "monitor/parse/characters.h"
#include "monitor/parse/digits.h"

namespace adarun::monitor {
namespace {

// Integers up to here, and these powers of ten, are doubles: their product or quotient is rounded once, so it
// is exact (Clinger, "How to read floating point numbers accurately", 1990).
constexpr std::uint64_t most_exact = std::uint64_t{1} << 53U;
constexpr std::array<double, 23> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::ptrdiff_t most_digits = 19;  // What fits 64 bits.

/// A number as it is written: digits times a power of ten.
struct Written {
  std::uint64_t digits = 0;
  std::ptrdiff_t count = 0;     ///< How many digits there are.
  std::ptrdiff_t exponent = 0;  ///< Of ten.
};

// As most losses are: "2.302585124969482", a digit, a point and up to 16 digits.
bool read_short(const char*& at, const char* end, Written& number) {
  constexpr std::ptrdiff_t most = 2 + 2 * word_bytes + 1;
  if (end - at < most || !is_digit(at[0]) || at[1] != '.') return false;
  number.digits = static_cast<std::uint64_t>(at[0] - '0');
  const char* const decimals = at + 2;
  unsigned count = append_digits(decimals, number.digits);
  if (count == word_bytes) count += append_digits(decimals + word_bytes, number.digits);
  if (is_digit(decimals[count])) return false;
  at = decimals + count;
  number.count = 1 + count;
  number.exponent = -static_cast<std::ptrdiff_t>(count);
  return true;
}

// Moves behind digits with or without a point.
void read_digits_and_point(const char*& at, const char* end, Written& number) {
  if (read_short(at, end, number)) return;
  const char* const begin = at;
  number = {};
  at = read_digits(at, end, number.digits);
  number.count = at - begin;
  if (at == end || *at != '.') return;
  const char* const point = at;
  at = read_digits(point + 1, end, number.digits);
  number.exponent = point + 1 - at;
  number.count -= number.exponent;
}

// Moves behind "e-05"; nowhere where no digits follow, as they then are no exponent.
void read_exponent(const char*& at, const char* end, Written& number) {
  if (at == end || (*at != 'e' && *at != 'E')) return;
  const char* ahead = at + 1;
  const bool minus = ahead != end && *ahead == '-';
  if (minus || (ahead != end && *ahead == '+')) ++ahead;
  std::ptrdiff_t exponent = 0;
  const char* const begin = ahead;
  constexpr std::ptrdiff_t beyond_all = 99'999;
  for (; ahead != end && is_digit(*ahead); ++ahead)
    exponent = std::min(10 * exponent + (*ahead - '0'), beyond_all);
  if (ahead == begin) return;
  number.exponent += minus ? -exponent : exponent;
  at = ahead;
}

}  // namespace

bool read_decimal(const char*& at, const char* end, double& value) {
  const bool minus = at != end && *at == '-';
  const char* behind = at + (minus ? 1 : 0);
  Written number;
  read_digits_and_point(behind, end, number);
  if (number.count > 0) read_exponent(behind, end, number);
  const auto power = static_cast<std::size_t>(number.exponent < 0 ? -number.exponent : number.exponent);
  if (number.count > 0 && number.count <= most_digits && number.digits <= most_exact &&
      power < powers_of_ten.size()) {
    const auto digits = static_cast<double>(number.digits);
    const double size = number.exponent < 0 ? digits / powers_of_ten[power] : digits * powers_of_ten[power];
    value = minus ? -size : size;
    at = behind;
    return true;
  }
  const auto [rest, wrong] = std::from_chars(at, end, value);
  if (wrong != std::errc()) return false;
  at = rest;
  return true;
}

}  // namespace adarun::monitor
