// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "launcher/protocol/query.h"

namespace adarun::launcher {

/// Looks at the processes of ranks that hang, through their nodes: what the innermost child does and where it
/// waits, its stack in the kernel where that may be read, and its own by py-spy or gdb where one is
/// installed. Passive.
class Examination {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Examination(Clock::time_point begin);

  /// When it is over, whoever has not answered.
  Clock::time_point end() const { return end_; }

  /// The question about a rank, for its node; the answer has the rank as its id.
  protocol::Query question(std::uint32_t rank, std::uint32_t pid);

  /// Takes an answer; true where it was the last.
  bool take(const protocol::Answer& answer);

  /// Lines of text about each rank that was answered for.
  const std::map<std::uint32_t, std::string>& found() const { return found_; }

 private:
  Clock::time_point end_;
  std::set<std::uint32_t> open_;
  std::map<std::uint32_t, std::string> found_;
};

}  // namespace adarun::launcher
