// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::base {

/// 128 random bits of the kernel's, as 32 hexadecimal digits: nobody can guess them. Throws
/// std::system_error.
std::string random_digits();

}  // namespace adarun::base
