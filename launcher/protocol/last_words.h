// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::launcher {

/// How the line ends that an agent's watchdog prints on stderr, after it has ended what an agent has left
/// that was killed.
inline constexpr std::string_view all_is_ended = "all that it ran is ended";

}  // namespace adarun::launcher
