// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::base {

/// `text` quoted as one word of a POSIX shell.
std::string shell_word(const std::string& text);

/// The same for people to read: without quotes if it needs none.
std::string readable_word(const std::string& text);

}  // namespace adarun::base
