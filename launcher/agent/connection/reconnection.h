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

/// How an agent outlives a connection to its launcher: whoever brings another one is waited for at a socket,
/// and what cannot be sent is kept, beyond memory in a spool file, where a later launcher finds it
/// (KeptOutput). Does nothing until `offer`. Borrows all that it is given. Passive.
class Reconnection {
 public:
  /// `on_resume` is called when the channel goes on over another connection.
  Reconnection(Channel& channel, DiagnosticSender& diagnostics, std::function<void()> on_resume)
      : channel_(channel), diagnostics_(diagnostics), on_resume_(std::move(on_resume)) {}

  /// Makes the socket in the job's scratch folder, which is there, tells the launcher of it, and has the
  /// channel keep what it sends. Removes spool files that nobody has called for in time. Throws agent::Error.
  void offer(const protocol::Start& start, std::chrono::milliseconds lease);

  void watch(Poll& poll);

  /// At the end: the launcher has all, so that nothing stays in the spool file; or it has not, so that the
  /// rest is left there, which fails with a line on stderr.
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
