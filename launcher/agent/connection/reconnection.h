// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// A Unix socket in the agent's private folder through which a running agent receives another connection to
/// its launcher: a process connects (bring_connection) and passes its stdin and stdout. Nothing in the class
/// blocks.
class ReconnectSocket {
 public:
  /// Name of the socket in the agent's scratch folder.
  static constexpr const char* socket_name = "socket";

  /// Throws agent::Error if it cannot listen at `path`.
  explicit ReconnectSocket(const std::string& path);

  /// The descriptors to poll: one is readable while accept() has something to do. bringer_fd() may be -1.
  int fd() const { return listening_.get(); }
  int bringer_fd() const { return bringer_ ? bringer_.get() : -1; }

  /// The connection that was passed, if any. A new process replaces one that has connected but passed nothing
  /// yet, so that a stuck one blocks nobody.
  std::optional<Connection> accept();

  /// The command that passes a connection to this agent when it is run on this node.
  std::vector<std::string> command() const;

 private:
  std::optional<Connection> receive();

  std::string path_;
  base::FileDescriptor listening_;
  base::FileDescriptor bringer_;  ///< Has connected and passed nothing yet.
};

/// Whether an agent of our user listens in the scratch folder `scratch`, or in one named `scratch` + "-...".
bool can_be_met(const std::string& scratch);

/// Implements `adarun-agent --resume PATH`: passes stdin and stdout to the agent that listens at `path`, then
/// blocks until that agent closes them or their other end hangs up. If it is not reached, it says Done where
/// the agent has certainly ended, else Failed. Returns the exit status: 0 if the agent was reached.
int bring_connection(const std::string& path);

/// Lets an agent outlive a connection to its launcher: it accepts a new connection on a socket, and keeps
/// what cannot be sent, in memory and then in a spool file, from which a later launcher can fetch it
/// (KeptOutput). Does nothing until `offer`. Borrows its arguments. Passive.
class Reconnection {
 public:
  /// `on_resume` is called when the channel continues over another connection.
  Reconnection(Channel& channel, DiagnosticSender& diagnostics, std::function<void()> on_resume)
      : channel_(channel), diagnostics_(diagnostics), on_resume_(std::move(on_resume)) {}

  /// Creates the socket in the job's scratch folder, which must exist, sends Rendezvous, and makes the
  /// channel keep what it sends. Removes expired spool files. Throws agent::Error.
  void offer(const protocol::Start& start, std::chrono::milliseconds lease);

  void watch(Poll& poll);

  /// At the end, one of: the launcher has everything, so the spool file is removed; or it has not, so the
  /// rest is written to the spool file (on failure: a line on stderr).
  void remove_spool_file() const;
  void keep_undelivered();

 private:
  void accept();

  Channel& channel_;
  DiagnosticSender& diagnostics_;
  std::function<void()> on_resume_;
  std::optional<ReconnectSocket> socket_;
  std::string spool_file_;
};

}  // namespace adarun::launcher::agent
