// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// Says "wrote FILE" on stderr, as every command does that has written a file for the user, unless the file
/// is "-", which is stdout.
void say_written(const std::string& file);

}  // namespace adarun::cli
