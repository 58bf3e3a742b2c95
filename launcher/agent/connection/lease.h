// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "launcher/agent/base/clock.h"

namespace adarun::launcher::agent {

/// How long the launcher may be silent before all that runs here is ended: start_timeout, until the launcher
/// has set another. While it has the job suspended it says nothing, and only counts as silent from when its
/// connection was cut: one that has died leaves none. Pure.
class Lease {
 public:
  std::chrono::milliseconds length() const { return length_; }

  void set(std::chrono::milliseconds length) { length_ = length; }

  /// It is no longer than this from now on.
  void limit(std::chrono::milliseconds longest);

  void suspend() { suspended_ = true; }
  void resume() { suspended_ = false; }

  /// From now on it counts whether suspended or not: the job is being ended.
  void ignore_suspension() { ignores_suspension_ = true; }

  /// When it is over. `heard`: when the launcher said something last. `cut_at`: when the connection was cut;
  /// nothing while there is one. Nothing: not as long as this connection is there.
  std::optional<Clock::time_point> end(Clock::time_point heard,
                                       std::optional<Clock::time_point> cut_at) const;

 private:
  std::chrono::milliseconds length_{start_timeout};
  bool suspended_ = false;
  bool ignores_suspension_ = false;
};

}  // namespace adarun::launcher::agent
