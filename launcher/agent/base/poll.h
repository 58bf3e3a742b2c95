// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace adarun::launcher::agent {

/// The clock of all deadlines: monotonic, so that setting the system time does not move them.
using Clock = std::chrono::steady_clock;

/// How long a connected launcher may take to send Start.
inline constexpr std::chrono::minutes start_timeout{10};

/// What one iteration of the loop waits for: file descriptors, and the earliest of several deadlines.
class Poll {
 public:
  /// `ready` is called from `wait` when one of `events` (or an error or hang-up) occurs on `fd`. Ignores fd
  /// -1.
  void watch(int fd, short events, std::function<void()> ready);

  /// `wait` returns at `moment` at the latest.
  void until(std::optional<Clock::time_point> moment);

  /// Waits, then calls the `ready` functions of ready descriptors, in the order of the `watch` calls. Returns
  /// how much too late the wait ended: this process was stopped, or without a processor.
  Clock::duration wait();

 private:
  std::vector<pollfd> fds_;
  std::vector<std::function<void()>> ready_;
  std::optional<Clock::time_point> until_;
};

}  // namespace adarun::launcher::agent
