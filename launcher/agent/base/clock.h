// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace adarun::launcher::agent {

/// Deadlines are kept by a clock that nobody sets.
using Clock = std::chrono::steady_clock;

/// How long a connected launcher may think before it says Start.
inline constexpr std::chrono::minutes start_timeout{10};

}  // namespace adarun::launcher::agent
