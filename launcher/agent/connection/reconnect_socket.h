// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/connection/connection.h"

namespace adarun::launcher::agent {

/// Where a running agent is given a further connection to its launcher: a socket in its private folder, and
/// whoever brings descriptors there. Nothing here blocks.
class ReconnectSocket {
 public:
  /// Of the socket, in the scratch folder of the agent.
  static constexpr const char* socket_name = "socket";

  /// Throws agent::Error where nobody can be met at `path`.
  explicit ReconnectSocket(const std::string& path);

  /// What to wait on, both: one is readable while accept() has something to do. The second is -1 at times.
  int fd() const { return listening_.get(); }
  int bringer_fd() const { return bringer_ ? bringer_.get() : -1; }

  /// The connection that somebody has brought, if any. Whoever comes while another has said nothing yet takes
  /// its place, so that one that stands still keeps nobody out.
  std::optional<Connection> accept();

  /// What brings a connection, when it is run on this node.
  std::vector<std::string> command() const;

 private:
  std::optional<Connection> receive();

  std::string path_;
  base::FileDescriptor listening_;
  base::FileDescriptor bringer_;  ///< Has connected, and said nothing yet.
};

/// Whether an agent of our user can be met whose scratch folder is called `scratch`, or that and an ending
/// behind a '-'.
bool can_be_met(const std::string& scratch);

/// The work of `adarun-agent --resume PATH`: brings stdin and stdout to the agent that listens at `path`, and
/// stays until that one lets go of them or their far end hangs up. The exit status: 0 where it was met.
int bring_connection(const std::string& path);

}  // namespace adarun::launcher::agent
