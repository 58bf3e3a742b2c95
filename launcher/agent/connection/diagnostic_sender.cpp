// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/diagnostic_sender.h"

#include <chrono>

namespace adarun::launcher::agent {

void DiagnosticSender::debug(const std::string& text) {
  if (stopped_ || !budget_.take(Clock::now())) return;
  const std::uint64_t left_out = budget_.take_left_out();
  const std::string before = left_out == 0 ? "" : std::to_string(left_out) + " messages left out; ";
  channel_.send(protocol::Diagnostic{(before + text).substr(0, protocol::Diagnostic::most_bytes)});
}

std::string milliseconds_since(Clock::time_point begin) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  return std::to_string(time.count()) + " ms";
}

}  // namespace adarun::launcher::agent
