// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/diagnostic_sender.h"
#include "launcher/agent/connection/reconnect_socket.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

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
