// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/wire/messages.h"

namespace adarun::launcher {

/// Why the agent that says `hello` is not spoken to: it is of another version than this program. Empty: it is
/// not.
inline std::string version_refusal(const wire::Hello& hello) {
  if (hello.version == ADARUN_VERSION) return "";
  return "its adarun-agent is version " + hello.version + ", this is " ADARUN_VERSION;
}

}  // namespace adarun::launcher
