// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Why the agent that sent `hello` is refused: its version differs from this program's. Empty: it is
/// accepted.
std::string version_refusal(const protocol::Hello& hello);

}  // namespace adarun::launcher
