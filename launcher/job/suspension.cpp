// SPDX-License-Identifier: Apache-2.0
// The launcher stands still for a while, and the job with it.
#include "launcher/job/job.h"

namespace adarun::launcher {

void Job::on_suspend(Clock::time_point now) {
  now_ = now;
  if (phase_ != Phase::running) return;
  suspended_at_ = now;
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted) moving_.insert(node);
  nodes_.broadcast(protocol::Suspend{true});
}

void Job::say_suspended() {
  if (!suspended_at_) return;
  for (const std::uint32_t node : moving_)
    observer_.on_notice(plan_.nodes[node].host.name + ": has not said that its ranks stand still");
  observer_.on_notice(std::string(moving_.empty() ? "all ranks" : "all other ranks") +
                      " stand still until adarun goes on (fg, or kill -CONT); no lease runs out meanwhile");
}

// Before ranks run, nobody was told.
void Job::on_continue(Clock::time_point now) {
  if (!suspended_at_) return;
  const auto stood = now - *suspended_at_;
  now_ = now;
  begun_ += stood;
  if (give_up_) *give_up_ += stood;
  hang_.watch().held_up(now);
  moving_.clear();
  suspended_at_.reset();
  nodes_.broadcast(protocol::Suspend{false});
}

}  // namespace adarun::launcher
