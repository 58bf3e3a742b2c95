// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "launcher/protocol/defaults.h"
#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/frame_stream.h"

namespace adarun::launcher {

/// A ping, encoded once for all nodes that it goes to.
struct PingFrame {
  protocol::Ping ping;
  Outbox::Bytes bytes;
};

/// When pings are sent to all nodes (ping_interval()). An agent that gets none for a lease ends; its answers
/// prove that it is alive, and give its clock. Passive.
class PingSchedule {
 public:
  using Clock = std::chrono::steady_clock;

  PingSchedule(std::chrono::milliseconds lease, Clock::time_point first)
      : interval_(ping_interval(lease)), next_(first) {}

  /// Whether the pings of one interval are due; if so, the next interval begins.
  bool begin_interval(Clock::time_point now) {
    if (now < next_) return false;
    next_ = now + interval_;
    return true;
  }

  /// A ping with a sequence number that is unique in this loop.
  PingFrame make_ping() {
    const protocol::Ping ping{++sequence_};
    return {ping, std::make_shared<const std::string>(protocol::encode(ping))};
  }

 private:
  std::chrono::milliseconds interval_;
  Clock::time_point next_;
  std::uint64_t sequence_ = 0;
};

}  // namespace adarun::launcher
