// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "launcher/wire/query.h"

namespace adarun::launcher {

/// What to ask a rank's node about a process that hangs: what its innermost child does and where it waits,
/// its stack in the kernel where that may be read, and its own by py-spy or gdb where those are installed.
/// Answered within 10 s.
wire::Query examination_of(std::uint32_t rank, std::uint32_t pid);

/// A longer time than such an answer takes.
inline constexpr std::uint32_t examination_ms = 10'000;

}  // namespace adarun::launcher
