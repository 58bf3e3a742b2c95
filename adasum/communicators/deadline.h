// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace adasum {

/// When a wait is given up: at a time, or as soon as a descriptor can be read from.
class Deadline {
 public:
  /// `abort_descriptor`: ends the wait early once it can be read from or is closed at the other end; -1:
  /// none. Borrowed.
  explicit Deadline(std::chrono::milliseconds from_now, int abort_descriptor = -1)
      : at_(Clock::now() + from_now), abort_descriptor_(abort_descriptor) {}

  bool passed() const { return Clock::now() >= at_ || aborted(); }

  bool aborted() const {
    pollfd abort{abort_descriptor_, POLLIN, 0};
    return abort_descriptor_ >= 0 && ::poll(&abort, 1, 0) > 0;
  }

  /// How long poll() and its like may wait before passed() is to be asked again: 0 once it has passed, at
  /// most a day.
  int left_ms() const {
    const auto most = abort_descriptor_ < 0 ? std::chrono::milliseconds(std::chrono::hours(24)) : look_again;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds>(left, {}, most).count());
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds look_again{20};

  Clock::time_point at_;
  int abort_descriptor_;
};

/// Whether a wait of at most `most` took far longer: this process was stopped meanwhile, as by SIGSTOP, and
/// its deadlines tell nothing of other ranks.
inline bool was_stopped(std::chrono::steady_clock::time_point began, std::chrono::milliseconds most) {
  return std::chrono::steady_clock::now() - began > most + std::chrono::seconds(1);
}

/// When the waits of a communicator are given up.
struct WaitLimits {
  /// Of a wait in which nothing moves.
  std::chrono::milliseconds deadline = std::chrono::hours(24 * 365);

  /// As in Deadline.
  int abort_descriptor = -1;

  Deadline from_now() const { return Deadline(deadline, abort_descriptor); }
};

}  // namespace adasum
