// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Stands between libssh, which tries all keys of an ssh-agent, and the agent, and shows only some of them. A
/// thread passes messages on until one of the two sides closes.
class AgentFilter {
 public:
  /// `agent_socket`: where the ssh-agent is. `keys`: those that are shown, as base64. An agent that is not
  /// there shows as one that closes at once.
  AgentFilter(const std::string& agent_socket, const std::set<std::string>& keys);

  /// The socket to speak to instead of the agent's; to be taken once.
  base::FileDescriptor take_socket() { return std::move(near_); }

 private:
  base::FileDescriptor near_;
};

/// An agent's answer to a request for its identities (SSH_AGENT_IDENTITIES_ANSWER, with its type and without
/// its length), reduced to `keys`. Anything else comes back as it is.
std::string filter_identities(std::string_view answer, const std::set<std::string>& keys);

}  // namespace adarun::launcher
