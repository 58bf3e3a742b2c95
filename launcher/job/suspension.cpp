// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/suspension.h"

#include <string>

namespace adarun::launcher {

void Suspension::begin(Clock::time_point now) {
  begun_ = now;
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    if (nodes_.state(node) == NodeState::greeted) awaited_.insert(node);
  nodes_.broadcast(protocol::Suspend{true});
}

void Suspension::announce() const {
  if (!begun_) return;
  for (const std::uint32_t node : awaited_)
    observer_.on_notice(plan_.nodes[node].host.name + ": has not confirmed that its ranks are suspended");
  observer_.on_notice(
      std::string(awaited_.empty() ? "all ranks" : "all other ranks") +
      " are suspended until adarun continues (fg, or kill -CONT); no lease runs out meanwhile");
}

std::optional<Suspension::Clock::duration> Suspension::end(Clock::time_point now) {
  if (!begun_) return std::nullopt;
  const Clock::duration stood = now - *begun_;
  awaited_.clear();
  begun_.reset();
  nodes_.broadcast(protocol::Suspend{false});
  return stood;
}

}  // namespace adarun::launcher
