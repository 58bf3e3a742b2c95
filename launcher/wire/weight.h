// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "launcher/wire/messages.h"

namespace adarun::wire {

/// The bytes that a message holds in memory beyond its own size: those of its texts and lists.
std::size_t held_bytes(const Message& message);

}  // namespace adarun::wire
