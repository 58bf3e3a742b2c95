// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// "wrote FILE", the words of every command that has written a file for the user.
std::string written_text(const std::string& file);

/// Says so on stderr, unless the file is "-", which is stdout.
void say_written(const std::string& file);

}  // namespace adarun::cli
