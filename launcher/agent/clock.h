// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace adarun::agent {

/// Deadlines are kept by a clock that nobody sets.
using Clock = std::chrono::steady_clock;

}  // namespace adarun::agent
