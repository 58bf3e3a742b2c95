// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::launcher {

/// `text` as one word of a POSIX shell, whatever is in it.
std::string shell_word(const std::string& text);

}  // namespace adarun::launcher
