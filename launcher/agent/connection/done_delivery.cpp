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
  const bool over = channel_.resumable() ? channel_.delivered(position_)
                                         : !channel_.connected() || channel_.sent(position_);
  return over ? State::delivered : State::waiting;
}

void DoneDelivery::watch(Poll& poll) const {
  if (channel_.abandoned()) poll.until(since_ + abandoned_timeout);
}

}  // namespace adarun::launcher::agent
