// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/done_delivery.h"

namespace adarun::launcher::agent {

DoneDelivery::DoneDelivery(Channel& channel, const protocol::Message& last, Clock::time_point now)
    : channel_(channel), since_(now), position_(0) {
  channel_.send(last);
  position_ = channel_.position();
  channel_.flush();
}

DoneDelivery::State DoneDelivery::state(Clock::time_point now) const {
  if (channel_.abandoned() && now >= since_ + abandoned_timeout) return State::given_up;
  if (!channel_.resumable())
    return !channel_.connected() || channel_.sent(position_) ? State::delivered : State::waiting;
  // A launcher that received everything may close the connection without acknowledging it.
  const bool stays_away =
      !channel_.connected() && channel_.sent(position_) && now >= channel_.cut_at() + return_timeout;
  return channel_.delivered(position_) || stays_away ? State::delivered : State::waiting;
}

void DoneDelivery::watch(Poll& poll) const {
  if (channel_.abandoned()) poll.until(since_ + abandoned_timeout);
  if (!channel_.connected()) poll.until(channel_.cut_at() + return_timeout);
}

}  // namespace adarun::launcher::agent
