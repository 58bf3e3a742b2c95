// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace adarun::cli {

/// A time that may be long: "200 ms", "2.3 s", "5 min 3 s", "2 h 5 min", "3 d 4 h" (cut, not rounded).
std::string elapsed(std::chrono::milliseconds time);

}  // namespace adarun::cli
