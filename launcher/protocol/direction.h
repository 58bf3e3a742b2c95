// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adarun::launcher::protocol {

/// Who receives a message: each one says so as its `direction`, and a FrameReader takes no other.
enum class Direction : std::uint8_t { to_agent, to_launcher, both };

}  // namespace adarun::launcher::protocol
