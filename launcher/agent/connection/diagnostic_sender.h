// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/protocol/diagnostic.h"

namespace adarun::launcher::agent {

/// Sends debug messages of this agent to the launcher, which writes them to its log. Bounded in length and
/// number. Borrows the channel.
class DiagnosticSender {
 public:
  explicit DiagnosticSender(Channel& channel) : channel_(channel) {}

  void debug(const std::string& text);

  /// Sends nothing from now on: Done must be the last message.
  void stop() { stopped_ = true; }

 private:
  Channel& channel_;
  protocol::DiagnosticBudget budget_;
  bool stopped_ = false;
};

/// "12 ms": how long ago `begin` was.
std::string milliseconds_since(Clock::time_point begin);

}  // namespace adarun::launcher::agent
