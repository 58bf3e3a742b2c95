// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/nodes.h"

namespace adarun::launcher {

Nodes::Nodes(std::size_t count) : states_(count, NodeState::connecting) {
  counts_[static_cast<std::size_t>(NodeState::connecting)] = count;
}

void Nodes::set(std::uint32_t node, NodeState state) {
  --counts_[static_cast<std::size_t>(states_[node])];
  ++counts_[static_cast<std::size_t>(state)];
  states_[node] = state;
}

void Nodes::send(std::uint32_t node, wire::Message message) {
  if (states_[node] != NodeState::lost) outgoing_.push_back({node, std::move(message)});
}

void Nodes::broadcast(const wire::Message& message) {
  for (std::uint32_t node = 0; node < count(); ++node) send(node, message);
}

}  // namespace adarun::launcher
