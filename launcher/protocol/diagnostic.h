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

/// agent -> launcher: a message for debugging; not part of the job.
struct Diagnostic {
  /// The maximum size of `text`; both sides enforce it.
  static constexpr std::size_t most_bytes = 1'024;

  std::string text;

  void fields(auto& archive) { archive(brief(text)); }
  bool operator==(const Diagnostic&) const = default;
};

/// Limits the rate of diagnostics, both those that an agent sends and those that the launcher accepts from a
/// node: a burst, then a few per second, so that a looping agent or a malicious node fills neither the
/// connection nor the launcher's log. Passive.
class DiagnosticBudget {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::int64_t burst = 1'000;
  static constexpr std::int64_t per_second = 10;

  /// Whether one more is allowed now.
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

  /// How many were refused since the last call.
  std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }

 private:
  std::int64_t left_ = burst;
  Clock::time_point refilled_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace adarun::launcher::protocol
