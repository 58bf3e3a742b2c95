// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/agent_version.h"

namespace adarun::launcher {

std::string version_refusal(const protocol::Hello& hello) {
  if (hello.version == ADARUN_VERSION) return "";
  return "its adarun-agent is version " + hello.version + ", this is " ADARUN_VERSION;
}

}  // namespace adarun::launcher
