// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "launcher/job/job_parts.h"

namespace adarun::launcher {

/// Tells nodes to start ranks again, as often and as late as RankRestarts has it. Call while the job runs.
/// Passive. Borrows the parts.
class RestartOrders {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RestartOrders(const JobParts& parts) : parts_(parts) {}

  /// A rank has ended. Returns the end of a sentence which says that it is started again, and when; empty if
  /// it is not.
  std::string plan(std::uint32_t rank, Clock::time_point now);

  /// Gives the orders that are due.
  void give(Clock::time_point now);

 private:
  bool may_start(std::uint32_t rank) const;

  const JobParts& parts_;
};

}  // namespace adarun::launcher
