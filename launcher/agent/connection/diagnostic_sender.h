// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/protocol/diagnostic.h"

namespace adarun::launcher::agent {

/// What this agent has to say for whoever looks for a fault: goes to the launcher as messages, which has them
/// in its log. Bounded in length and number. Borrows the channel.
class DiagnosticSender {
 public:
  explicit DiagnosticSender(Channel& channel) : channel_(channel) {}

  void debug(const std::string& text);

  /// Says nothing any more: nothing comes behind Done.
  void stop() { stopped_ = true; }

 private:
  Channel& channel_;
  protocol::DiagnosticBudget budget_;
  bool stopped_ = false;
};

/// "12 ms": how long ago `begin` was.
std::string milliseconds_since(Clock::time_point begin);

}  // namespace adarun::launcher::agent
