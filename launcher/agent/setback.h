// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "launcher/agent/spawn.h"
#include "launcher/wire/messages.h"

namespace adarun::agent {

/// Why `program` of rank `rank` was not executed, for a person to read: the thing, where it was looked for,
/// and what the system said.
wire::Failed explain(std::uint32_t rank, const Program& program, const Setback& setback);

}  // namespace adarun::agent
