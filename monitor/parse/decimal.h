// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::monitor {

/// Reads the number at `at` and moves past it. Accepts what std::from_chars accepts for a double (decimals,
/// exponents, nan, inf, a minus) and gives the same bits. Numbers of up to about 15 digits without an
/// exponent, like most in logs, are read several times faster. Returns false and does not move if there is no
/// number or it is out of range.
bool read_decimal(const char*& at, const char* end, double& value);

}  // namespace adarun::monitor
