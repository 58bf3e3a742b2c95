// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"

namespace adarun::launcher::agent {

/// The last frame to the launcher, Done, from its sending until the launcher has it. Borrows the channel.
/// Passive.
class DoneDelivery {
 public:
  /// How long a launcher that has hung up after the last frame is expected back for it.
  static constexpr std::chrono::seconds return_timeout{5};

  /// How long the last frames may take when nobody may be there to read them.
  static constexpr std::chrono::seconds abandoned_timeout{1};

  /// waiting    -> delivered  the launcher has Done: it has said so where the channel is resumable, it was
  ///                          written where not; or it was written, and the launcher has hung up since and
  ///                          not come back within return_timeout.
  /// waiting    -> given_up   the channel is abandoned, and abandoned_timeout is over.
  enum class State { waiting, delivered, given_up };

  /// Sends Done.
  DoneDelivery(Channel& channel, Clock::time_point now);

  State state(Clock::time_point now) const;

  /// The moments at which it may change.
  void watch(Poll& poll) const;

 private:
  Channel& channel_;
  Clock::time_point since_;
  std::uint64_t position_;  ///< In the stream to the launcher, behind Done.
};

}  // namespace adarun::launcher::agent
