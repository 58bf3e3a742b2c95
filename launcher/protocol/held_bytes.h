// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::protocol {

/// The bytes that a message holds in memory beyond its own size: those of its texts and lists.
std::size_t held_bytes(const Message& message);

}  // namespace adarun::launcher::protocol
