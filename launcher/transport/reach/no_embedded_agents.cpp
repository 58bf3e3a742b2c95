// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/agent_source.h"

namespace adarun::launcher {

std::vector<AgentBuild> embedded_agents() {
  return {};
}

}  // namespace adarun::launcher
