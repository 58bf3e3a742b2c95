// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::monitor {

/// Reads the number that stands at `at`, as std::from_chars reads a double (decimals, exponents, nan, inf, a
/// minus), to the same bits, and moves behind it. Numbers as logs have them, of at most 15 digits or so and
/// without an exponent, are read several times faster. False, and nowhere moved, where there is none or it is
/// out of range.
bool read_decimal(const char*& at, const char* end, double& value);

}  // namespace adarun::monitor
