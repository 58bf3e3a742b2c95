// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/nodes.h"

#include <numeric>

namespace adarun::launcher {

Nodes::Nodes(std::size_t count) : states_(count, NodeState::connecting) {
  counts_[static_cast<std::size_t>(NodeState::connecting)] = count;
}

void Nodes::set(std::uint32_t node, NodeState state) {
  --counts_[static_cast<std::size_t>(states_[node])];
  ++counts_[static_cast<std::size_t>(state)];
  states_[node] = state;
}

void Nodes::send(std::uint32_t node, protocol::Message message) {
  send(std::vector{node}, std::move(message));
}

void Nodes::send(std::vector<std::uint32_t> nodes, protocol::Message message) {
  std::erase_if(nodes, [this](std::uint32_t node) { return states_[node] == NodeState::lost; });
  if (!nodes.empty()) outgoing_.push_back({std::move(nodes), std::move(message)});
}

void Nodes::broadcast(protocol::Message message) {
  std::vector<std::uint32_t> all(count());
  std::iota(all.begin(), all.end(), 0U);
  send(std::move(all), std::move(message));
}

void Nodes::drop_queued(std::uint32_t node) {
  for (Outgoing& out : outgoing_) std::erase(out.nodes, node);
  std::erase_if(outgoing_, [](const Outgoing& out) { return out.nodes.empty(); });
}

}  // namespace adarun::launcher
