// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// A message as a line for a log: its name and main fields, without output, environment or content of files.
/// Empty for messages that are too frequent to log.
std::string message_text(const protocol::Message& message);

}  // namespace adarun::launcher
