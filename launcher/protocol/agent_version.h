// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Why the agent that says `hello` is not spoken to: it is of another version than this program. Empty: it is
/// not.
std::string version_refusal(const protocol::Hello& hello);

}  // namespace adarun::launcher
