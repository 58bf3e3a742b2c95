// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

constexpr std::ptrdiff_t most_mantissa_digits = 19;  // Fits 64 bits.

/// A number as written: `digits` times ten to the power of `exponent`.
struct Written {
  std::uint64_t digits = 0;
  std::ptrdiff_t count = 0;     ///< Number of digits.
  std::ptrdiff_t exponent = 0;  ///< Power of ten.
};

bool read_short(const char*& at, const char* end, Written& number) {
  ShortDecimal written;
  if (!written.take(at, end)) return false;
  number = {written.digits, 1 + static_cast<std::ptrdiff_t>(written.decimals),
            -static_cast<std::ptrdiff_t>(written.decimals)};
  return true;
}

// Reads digits with or without a point, and moves past them.
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

// Reads an exponent such as "e-05" and moves past it. Does not move if no digits follow the 'e'.
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
  if (number.count > 0 && number.count <= most_mantissa_digits && number.digits <= most_exact &&
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
