// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/diagnostic_sender.h"

namespace adarun::launcher::agent {

void DiagnosticSender::debug(const std::string& text) {
  if (stopped_ || !budget_.take(Clock::now())) return;
  const std::uint64_t left_out = budget_.take_left_out();
  const std::string before = left_out == 0 ? "" : std::to_string(left_out) + " messages left out; ";
  channel_.send(protocol::Diagnostic{(before + text).substr(0, protocol::Diagnostic::most_bytes)});
}

}  // namespace adarun::launcher::agent
