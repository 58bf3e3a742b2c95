// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "launcher/agent/base/poll.h"

namespace adarun::launcher::agent {

/// Whether processes get the grace period between TERM and KILL.
enum class TerminationMode { graceful, at_once };

/// Ends every descendant of this process: TERM, a grace period, then KILL repeatedly, so that processes
/// forked meanwhile are killed too. Passive: `tick` sends what is due. The owner reaps, and calls `finish`
/// when it has no child left.
class Termination {
 public:
  /// How long a process may outlive a KILL (if it hangs in the kernel) before the agent gives up.
  static constexpr std::chrono::seconds timeout{10};

  void grant(std::chrono::milliseconds grace) { grace_ = grace; }

  /// Begins termination. Once begun, only a later `at_once` has an effect.
  void begin(TerminationMode pace, Clock::time_point now);

  /// Sends the signals that are due. `groups`: the process groups of the running ranks. True if it sent KILL:
  /// the owner then kills by other means as well.
  bool tick(Clock::time_point now, const std::vector<pid_t>& groups);

  /// No process is left and none will be started: nothing is due any more, and `begin` has no effect.
  void finish() { state_ = State::over; }

  bool begun() const { return state_ != State::idle; }

  /// Whether `timeout` has passed since the first KILL.
  bool gave_up(Clock::time_point now) const { return kills_since_ && now - *kills_since_ > timeout; }

  /// When `tick` has something to do next.
  std::optional<Clock::time_point> next() const;

 private:
  /// idle              -> terming  begin(graceful): TERM is due at once.
  /// terming           -> waiting  tick has sent TERM: KILL is due when the grace is over.
  /// waiting           -> killing  tick, when the grace is over: KILL, and again at each tick that is due.
  /// any but killing   -> killing  begin(at_once): KILL is due at once.
  /// any               -> over     finish(). No transition leads back.
  enum class State { idle, terming, waiting, killing, over };

  State state_ = State::idle;
  std::chrono::milliseconds grace_{0};
  Clock::time_point due_;
  std::optional<Clock::time_point> kills_since_;
};

}  // namespace adarun::launcher::agent
