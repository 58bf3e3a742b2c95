// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"

namespace adarun::launcher::agent {

/// Sends Done, the last message to the launcher, and tracks it until the launcher has it. Borrows the
/// channel. Passive.
class DoneDelivery {
 public:
  /// How long to wait for a launcher that closed the connection after Done was written to reconnect and
  /// acknowledge it.
  static constexpr std::chrono::seconds return_timeout{5};

  /// How long to keep writing the last messages when the channel is abandoned.
  static constexpr std::chrono::seconds abandoned_timeout{1};

  /// waiting    -> delivered  resumable channel: Done was acknowledged, or it was written and the launcher
  ///                          closed the connection and did not reconnect within return_timeout. Any other
  ///                          channel: Done was written, or the connection is gone.
  /// waiting    -> given_up   the channel is abandoned and abandoned_timeout has passed.
  enum class State { waiting, delivered, given_up };

  /// Sends Done.
  DoneDelivery(Channel& channel, Clock::time_point now);

  State state(Clock::time_point now) const;

  /// Adds the times at which the state may change.
  void watch(Poll& poll) const;

 private:
  Channel& channel_;
  Clock::time_point since_;
  std::uint64_t position_;  ///< In the stream to the launcher, just after Done.
};

}  // namespace adarun::launcher::agent
