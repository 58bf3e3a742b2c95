// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diagnostics/log.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// A transport that logs, for debugging, what goes over it: the steps of each link and how long they took,
/// cuts, and the important frames, but not ranks' output. Diagnostics that agents send are logged too, and
/// not passed on. DiagnosticBudget limits the messages of each node. Costs nothing per byte. Borrows the log.
class TransportLog : public Transport {
 public:
  /// `nodes[i]`: the name of node i.
  TransportLog(std::unique_ptr<Transport> transport, std::vector<std::string> nodes, diagnostics::Log& log)
      : transport_(std::move(transport)), nodes_(std::move(nodes)), log_(log), logged_(nodes_.size()) {}

  using Transport::send;
  void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) override;
  void stop_all() override { transport_->stop_all(); }
  void take_silence(Silence silence) override { transport_->take_silence(silence); }
  int ready_fd() const override { return transport_->ready_fd(); }
  std::vector<TransportEvent> take() override;

 private:
  void tell(const TransportEvent& event);
  void tell_step(std::uint32_t node, const LinkStep& step);
  void tell_words(std::uint32_t node, const std::string& text);
  void tell_clock(std::uint32_t node, const ClockReading& reading);
  void say(std::uint32_t node, const std::string& text);

  /// What was logged of a node.
  struct LoggedNode {
    LinkStep step;
    bool clock_is_known = false;
    protocol::DiagnosticBudget budget;
  };

  std::unique_ptr<Transport> transport_;
  std::vector<std::string> nodes_;
  diagnostics::Log& log_;
  std::vector<LoggedNode> logged_;
};

}  // namespace adarun::launcher
