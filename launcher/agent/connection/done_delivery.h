// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Sends the last message of an attempt to the launcher (Done or Ended), and tracks it until the launcher has
/// it. Borrows the channel. Passive.
class DoneDelivery {
 public:
  /// How long to keep writing the last messages when the channel is abandoned.
  static constexpr std::chrono::seconds abandoned_timeout{1};

  /// waiting    -> delivered  resumable channel: it was acknowledged, since what is only written may be lost
  ///                          with the connection. Any other channel: it was written, or the connection is
  ///                          gone.
  /// waiting    -> given_up   the channel is abandoned and abandoned_timeout has passed.
  enum class State { waiting, delivered, given_up };

  /// Sends `last`.
  DoneDelivery(Channel& channel, const protocol::Message& last, Clock::time_point now);

  State state(Clock::time_point now) const;

  /// Adds the times at which the state may change.
  void watch(Poll& poll) const;

 private:
  Channel& channel_;
  Clock::time_point since_;
  std::uint64_t position_;  ///< In the stream to the launcher, just after the last message.
};

}  // namespace adarun::launcher::agent
