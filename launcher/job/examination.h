// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "launcher/protocol/query.h"

namespace adarun::launcher {

/// Examines the processes of hanging ranks through their nodes' agents: the state of the innermost child
/// process and where it waits, its kernel stack if readable, and its user stack by py-spy or gdb if
/// installed. Passive.
class Examination {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Examination(Clock::time_point begin);

  /// When it ends, even if answers are missing.
  Clock::time_point end() const { return end_; }

  /// The query about a rank, to send to its node; its id, and that of the answer, is the rank.
  protocol::Query question(std::uint32_t rank, std::uint32_t pid);

  /// Stores an answer; returns true if it was the last one.
  bool take(const protocol::Answer& answer);

  /// The answers: lines of text, by rank.
  const std::map<std::uint32_t, std::string>& found() const { return found_; }

 private:
  Clock::time_point end_;
  std::set<std::uint32_t> open_;
  std::map<std::uint32_t, std::string> found_;
};

}  // namespace adarun::launcher
