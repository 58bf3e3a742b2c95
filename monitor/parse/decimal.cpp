// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/decimal.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "monitor/parse/digits.h"

namespace adarun::monitor {
namespace {

// Integers up to here, and these powers of ten, are doubles: their quotient is rounded once, so it is exact
// (Clinger, "How to read floating point numbers accurately", 1990).
constexpr std::uint64_t most_exact = std::uint64_t{1} << 53U;
constexpr std::array<double, 20> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                               1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
constexpr std::ptrdiff_t most_digits = 19;  // What fits 64 bits.

bool begins_exponent(const char* at, const char* end) {
  return at != end && (*at == 'e' || *at == 'E');
}

}  // namespace

bool read_decimal(const char*& at, const char* end, double& value) {
  const bool minus = at != end && *at == '-';
  const char* const digits = at + (minus ? 1 : 0);
  std::uint64_t number = 0;
  const char* const point = read_digits(digits, end, number);
  const char* behind = point;
  std::ptrdiff_t decimals = 0;
  if (point != end && *point == '.') {
    behind = read_digits(point + 1, end, number);
    decimals = behind - point - 1;
  }
  const std::ptrdiff_t count = point - digits + decimals;
  if (count > 0 && count <= most_digits && number <= most_exact && !begins_exponent(behind, end)) {
    const double size = static_cast<double>(number) / powers_of_ten[static_cast<std::size_t>(decimals)];
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
