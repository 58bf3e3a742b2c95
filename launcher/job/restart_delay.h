// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace adarun::launcher {

/// The longest wait before a restart.
inline constexpr std::chrono::minutes longest_restart_delay{1};

/// The wait before restart `number`, from 1: `first`, doubled for each further one. If `first` is zero, a
/// second before the second one.
std::chrono::milliseconds restart_delay(int number, std::chrono::milliseconds first);

}  // namespace adarun::launcher
