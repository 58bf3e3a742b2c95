// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "launcher/agent/base/poll.h"

namespace adarun::launcher::agent {

/// How long the launcher may be silent before everything on this node is ended: start_timeout until the
/// launcher sets another length. While the job is suspended the launcher sends nothing, so the lease runs
/// only from when the connection was cut (if the launcher dies, its connection is cut). Pure.
class Lease {
 public:
  std::chrono::milliseconds length() const { return length_; }

  void set(std::chrono::milliseconds length) { length_ = length; }

  /// Shortens it to `longest` if it is longer.
  void limit(std::chrono::milliseconds longest);

  void suspend() { suspended_ = true; }
  void resume() { suspended_ = false; }
  bool suspended() const { return suspended_; }

  /// This process did not run for `late` (it was stopped, or had no processor), and neither may have what
  /// brings the launcher's bytes. Adds that to the lease, `most` altogether, until bytes arrive after
  /// `heard`.
  void excuse(Clock::time_point heard, Clock::duration late, Clock::duration most);

  /// The launcher is only busy: the lease is `time` longer, until bytes arrive after `heard`.
  void bear(Clock::time_point heard, Clock::duration time);

  /// When a busy launcher is waited for no more. Time that is excused does not count here, either.
  Clock::time_point busy_end(Clock::time_point heard) const;

  /// From now on the lease runs even while suspended: the job is being ended.
  void ignore_suspension() { ignores_suspension_ = true; }

  /// When it expires; nothing: not while this connection lasts. `heard`: when bytes last arrived from the
  /// launcher. `cut_at`: when the connection was cut; nothing while connected.
  std::optional<Clock::time_point> end(Clock::time_point heard,
                                       std::optional<Clock::time_point> cut_at) const;

 private:
  std::chrono::milliseconds length_{start_timeout};
  bool suspended_ = false;
  bool ignores_suspension_ = false;
  void begin(Clock::time_point heard);

  Clock::duration excused_{0};
  Clock::duration borne_{0};
  Clock::time_point excused_since_;
};

}  // namespace adarun::launcher::agent
