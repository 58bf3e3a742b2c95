// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// A message to be sent to some nodes.
struct Outgoing {
  std::vector<std::uint32_t> nodes;
  protocol::Message message;
};

/// The state of a node's conversation with the launcher. Transitions, by the message or event that causes
/// them:
///
///     connecting -> greeted   Hello
///     connecting, greeted -> done         Done or Ended
///     connecting, greeted, done -> lost   its link failed, or its agent violated the protocol
///     done, lost -> connecting            another node has taken its place
///     connecting -> lost                  the job ends before that node has been heard
enum class NodeState { connecting, greeted, done, lost };

/// The nodes of a job, and the messages queued for them. Queries take constant time. Passive.
class Nodes {
 public:
  explicit Nodes(std::size_t count);

  std::uint32_t count() const { return static_cast<std::uint32_t>(states_.size()); }
  NodeState state(std::uint32_t node) const { return states_[node]; }
  void set(std::uint32_t node, NodeState state);

  bool all_greeted() const { return in(NodeState::greeted) == states_.size(); }

  /// No node is still connecting.
  bool all_heard() const { return in(NodeState::connecting) == 0; }

  /// Every node is done or lost.
  bool all_gone() const { return in(NodeState::done) + in(NodeState::lost) == states_.size(); }

  /// Queues a message; nodes that are lost are skipped.
  void send(std::uint32_t node, protocol::Message message);
  void send(std::vector<std::uint32_t> nodes, protocol::Message message);
  void broadcast(protocol::Message message);

  /// What is queued for a node is not sent.
  void drop_queued(std::uint32_t node);

  /// What was queued since the last call.
  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }

 private:
  std::size_t in(NodeState state) const { return counts_[static_cast<std::size_t>(state)]; }

  std::vector<NodeState> states_;
  std::array<std::size_t, 4> counts_{};  ///< Number of nodes in each state.
  std::vector<Outgoing> outgoing_;
};

}  // namespace adarun::launcher
