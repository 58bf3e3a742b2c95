// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/shutdown.h"

#include <algorithm>

namespace adarun::launcher {
namespace {

// Time in which further nodes that cannot be reached, or cannot be staged to, are collected and named as
// well.
constexpr std::chrono::milliseconds settle{1'000};
// Beyond the grace, for KILL, reaping and the transfer of the result.
constexpr std::chrono::milliseconds farewell{3'000};

}  // namespace

void Shutdown::wait_for_others(Clock::time_point now) {
  deadline_ = now + settle;
}

void Shutdown::stop(Pace pace, Clock::time_point now) {
  const Clock::time_point timeout = now + (pace == Pace::at_once ? farewell : grace_ + farewell);
  deadline_ = deadline_ ? std::min(*deadline_, timeout) : timeout;
  nodes_.broadcast(protocol::Stop{pace == Pace::at_once});
}

void Shutdown::put_off(Clock::duration stood) {
  if (deadline_) *deadline_ += stood;
}

void Shutdown::name_silent_nodes() const {
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted)
      observer_.on_notice(plan_.nodes[node].host.name +
                          ": has not said that its processes are gone; its agent ends them within its lease");
}

}  // namespace adarun::launcher
