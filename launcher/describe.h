// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace adarun::launcher {

/// A time for messages: "200 ms", "10 s", "2.3 s" (cut to tenths).
std::string describe(std::chrono::milliseconds time);

}  // namespace adarun::launcher
