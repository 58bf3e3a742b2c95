// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "launcher/job/job_context.h"
#include "launcher/job/suspension.h"

namespace adarun::launcher {

/// Tells nodes to start ranks again, as often and as late as RankRestarts has it, but none while all
/// processes are suspended. Call while the job runs. Passive. Borrows the constructor's arguments.
class RestartOrders {
 public:
  using Clock = std::chrono::steady_clock;

  RestartOrders(const JobContext& context, const Suspension& suspension)
      : context_(context), suspension_(suspension) {}

  /// A rank has ended. Returns the end of a sentence which says that it is started again, and when; empty if
  /// it is not.
  std::string plan(std::uint32_t rank, Clock::time_point now);

  /// Gives the orders that are due.
  void give(Clock::time_point now);

  /// When the next one is due.
  std::optional<Clock::time_point> deadline() const {
    return suspension_.is_on() ? std::nullopt : context_.restarts.deadline();
  }

 private:
  bool may_start(std::uint32_t rank) const;

  const JobContext& context_;
  const Suspension& suspension_;
};

}  // namespace adarun::launcher
