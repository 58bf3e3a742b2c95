// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace adarun::launcher {

/// What a program of this machine prints on stdout, up to 1 MiB. Throws Error, with its stderr, if it cannot
/// be started, has not ended after `deadline`, or prints nothing or too much; it is then ended.
std::string output_of(const std::vector<std::string>& argv, std::chrono::milliseconds deadline);

}  // namespace adarun::launcher
