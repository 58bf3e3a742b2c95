// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// The nodes of a job over all of its attempts, members and spares: their connections and agents stay from
/// one attempt to the next. Used by one thread.
class NodePool {
 public:
  using Clock = std::chrono::steady_clock;

  /// Called for a node that is lost while it is not a member, with the reason.
  using OnSpareLost = std::function<void(std::uint32_t node, const std::string& reason)>;

  /// `transport`, which is borrowed, reaches `nodes` nodes. An agent that has ended an attempt must send
  /// Hello within `hello_timeout`.
  NodePool(Transport& transport, std::size_t nodes, std::chrono::milliseconds hello_timeout,
           OnSpareLost on_spare_lost);

  /// The transport reaches further nodes, which follow the others. Also while an attempt runs.
  void add(std::size_t nodes) { nodes_.resize(nodes_.size() + nodes); }

  /// A transport for one attempt: its node i is node members[i] here. It begins with the Hello of nodes that
  /// are ready, and the loss of those that are lost. Until it is destroyed, the pool must exist and begin()
  /// must not be called.
  std::unique_ptr<Transport> begin(const std::vector<std::uint32_t>& members);

  /// In the attempt that runs, `spare`, which is none of its members, takes the place of `lost`: it is the
  /// node of that number there, beginning with its Hello.
  void replace(std::uint32_t lost, std::uint32_t spare);

  /// Whether a node can be a member of the next attempt: it is not lost, and not busy with an earlier one.
  bool is_usable(std::uint32_t node) const;

  /// Whether a node's agent was told to end, and did so in good order: another one can be started there.
  bool has_ended(std::uint32_t node) const {
    return nodes_[node].state == State::lost && nodes_[node].has_ended;
  }

  /// Whether a node is lost in another way: its agent or its connection failed, or it was left out.
  bool is_lost(std::uint32_t node) const {
    return nodes_[node].state == State::lost && !nodes_[node].has_ended;
  }

  /// Whether a node has said Hello and can be sent its ranks.
  bool is_ready(std::uint32_t node) const { return nodes_[node].state == State::ready; }

  /// A node is not to be used again. Its agent ends, if it waits for ranks.
  void exclude(std::uint32_t node);

 private:
  class Attempt;

  /// connecting -> ready    its agent has sent Hello.
  /// ready      -> running  it was sent Start.
  /// running    -> ended    it has sent Ended.
  /// ended      -> ready    it has sent Hello again.
  /// any        -> lost     its connection is lost, it has sent Done, or Hello did not come in time.
  enum class State { connecting, ready, running, ended, lost };

  struct Node {
    State state = State::connecting;
    std::optional<protocol::Hello> hello;  ///< The last one.
    std::optional<ClockReading> clock;     ///< Likewise.
    Clock::time_point hello_due;           ///< In state `ended`.
    std::string loss;                      ///< In state `lost`: why.
    bool has_failed = false;               ///< Since its Hello.
    bool has_ended = false;                ///< In state `lost`: its agent said Done, and had not failed.
  };

  void note(const TransportEvent& event, bool is_member, Clock::time_point now);
  void note_lost(std::uint32_t node, const std::string& reason, bool is_member);

  Transport& transport_;
  std::vector<Node> nodes_;
  std::chrono::milliseconds hello_timeout_;
  OnSpareLost on_spare_lost_;
  Attempt* attempt_ = nullptr;  ///< The one that runs.
};

}  // namespace adarun::launcher
