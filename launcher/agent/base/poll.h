// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <functional>
#include <optional>
#include <vector>

#include "launcher/agent/base/clock.h"

namespace adarun::launcher::agent {

/// What one turn of the loop waits for: descriptors, and the earliest of some moments.
class Poll {
 public:
  /// `ready` is called from `wait` when one of `events` (or an error or hang-up) comes. Ignores fd -1.
  void watch(int fd, short events, std::function<void()> ready);

  /// Waits no longer than until `moment`.
  void until(std::optional<Clock::time_point> moment);

  /// Waits, then calls what is ready, in the order of `watch`.
  void wait();

 private:
  std::vector<pollfd> fds_;
  std::vector<std::function<void()>> ready_;
  std::optional<Clock::time_point> until_;
};

}  // namespace adarun::launcher::agent
