// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::base {

/// 128 random bits from the kernel, as 32 hexadecimal digits that cannot be guessed. Throws
/// std::system_error.
std::string random_digits();

}  // namespace adarun::base
