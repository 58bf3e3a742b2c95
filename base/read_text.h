// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::base {

/// The content of a small file, such as those of /proc and /sys; empty where it cannot be read.
std::string read_text(const std::string& file);

}  // namespace adarun::base
