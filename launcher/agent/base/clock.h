// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace adarun::launcher::agent {

/// The clock of all deadlines: monotonic, so that setting the system time does not move them.
using Clock = std::chrono::steady_clock;

/// How long a connected launcher may take to send Start.
inline constexpr std::chrono::minutes start_timeout{10};

}  // namespace adarun::launcher::agent
