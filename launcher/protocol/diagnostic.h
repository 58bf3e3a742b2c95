// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "launcher/protocol/archive.h"

namespace adarun::launcher::protocol {

/// agent -> launcher: what an agent has to say for whoever looks for a fault; no part of the job.
struct Diagnostic {
  /// Neither side lets more of a text through.
  static constexpr std::size_t most_bytes = 1'024;

  std::string text;

  void fields(auto& archive) { archive(brief(text)); }
  bool operator==(const Diagnostic&) const = default;
};

/// How many diagnostics an agent sends, and how many of a node's the launcher takes: a burst, then a few each
/// second, so that an agent in a loop, or a node that lies, fills neither the way to the launcher nor its
/// log. Passive.
class DiagnosticBudget {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::int64_t burst = 1'000;
  static constexpr std::int64_t per_second = 10;

  /// Whether one more is let through now.
  bool take(Clock::time_point now) {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - refilled_);
    if (passed.count() > 0) {
      left_ =
          passed.count() >= burst / per_second ? burst : std::min(burst, left_ + passed.count() * per_second);
      refilled_ = now;
    }
    if (left_ == 0) {
      ++left_out_;
      return false;
    }
    --left_;
    return true;
  }

  /// How many were not, since this was asked last.
  std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }

 private:
  std::int64_t left_ = burst;
  Clock::time_point refilled_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace adarun::launcher::protocol
