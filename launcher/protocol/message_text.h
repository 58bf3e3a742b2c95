// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// What a message says, for a log: its name and what matters of it, no output, no environment and no content
/// of files. Empty for those that come too often to be told of.
std::string message_text(const protocol::Message& message);

}  // namespace adarun::launcher
