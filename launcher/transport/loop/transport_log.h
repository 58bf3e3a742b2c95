// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/log/log.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Logs, for debugging, what goes over a transport: the steps of each link and how long they took, cuts, and
/// the important frames, but not ranks' output. DiagnosticBudget limits the messages of each node. Costs
/// nothing per byte. Borrows the log.
class TransportLog {
 public:
  explicit TransportLog(base::Log& log) : log_(log) {}

  /// Another node, by its name.
  void add(std::string node) { nodes_.push_back({std::move(node)}); }

  /// A message is sent.
  void sent(const std::vector<std::uint32_t>& nodes, const protocol::Message& message);

  /// These events have come. Diagnostics that agents send are logged, and removed.
  void take(std::vector<TransportEvent>& events);

 private:
  void tell(const TransportEvent& event);
  void tell_step(std::uint32_t node, const LinkStep& step);
  void tell_words(std::uint32_t node, const std::string& text);
  void tell_clock(std::uint32_t node, const ClockReading& reading);
  void say(std::uint32_t node, const std::string& text);

  /// A node, and what was logged of it.
  struct LoggedNode {
    std::string name;
    LinkStep step = {};
    bool clock_is_known = false;
    protocol::DiagnosticBudget budget = {};
  };

  base::Log& log_;
  std::vector<LoggedNode> nodes_;
};

}  // namespace adarun::launcher
