// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// A proxy between libssh, which tries all keys of an ssh-agent, and the agent: it shows only some of them. A
/// thread forwards messages until one of the two sides closes.
class AgentFilter {
 public:
  /// `agent_socket`: path of the ssh-agent's socket. `keys`: those that are shown, as base64. If no agent is
  /// there, the connection closes at once.
  AgentFilter(const std::string& agent_socket, const std::set<std::string>& keys);

  /// The socket to use instead of the agent's; to be taken once.
  base::FileDescriptor take_socket() { return std::move(near_); }

 private:
  base::FileDescriptor near_;
};

/// An agent's answer to a request for its identities (SSH_AGENT_IDENTITIES_ANSWER, with its type and without
/// its length), reduced to `keys`. Anything else is returned unchanged.
std::string filter_identities(std::string_view answer, const std::set<std::string>& keys);

}  // namespace adarun::launcher
