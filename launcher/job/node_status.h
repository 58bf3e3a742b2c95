// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/node_clock.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// What nodes have told of themselves, and links of them: which ones are greeted, ready, failed, cut off,
/// done or lost, and how their clocks stand. Each function takes one such piece of news, tells the observer,
/// and gives the failure of the job that it is, if it is one. Passive. Borrows all that it is made with.
class NodeStatus {
 public:
  NodeStatus(const Plan& plan, Nodes& nodes, Ranks& ranks, JobObserver& observer)
      : plan_(plan), nodes_(nodes), ranks_(ranks), observer_(observer), clocks_(plan.nodes.size()) {}

  /// An agent of another version is a failure. Throws protocol::Error on a second Hello.
  std::optional<Failure> greet(std::uint32_t node, const protocol::Hello& hello);

  /// Throws protocol::Error on a second Ready.
  void set_ready(std::uint32_t node, const protocol::Ready& ready);

  /// Nothing where it has failed before.
  std::optional<Failure> fail(std::uint32_t node, const protocol::Failed& failed);

  void finish(std::uint32_t node) { nodes_.set(node, NodeState::done); }

  /// The ranks that run there are lost with it. Nothing where it was done.
  std::optional<Failure> lose(std::uint32_t node, const std::string& reason);

  /// A node is being looked for, until it is found (resume) or lost.
  void cut(std::uint32_t node, const std::string& reason);
  void resume(std::uint32_t node);
  bool any_cut() const { return !cut_.empty(); }

  void read_clock(std::uint32_t node, const ClockReading& reading) { clocks_[node].read(reading); }

  /// One for each node.
  const std::vector<NodeClock>& clocks() const { return clocks_; }

 private:
  const Plan& plan_;
  Nodes& nodes_;
  Ranks& ranks_;
  JobObserver& observer_;
  std::set<std::uint32_t> cut_;     ///< Nodes that are being looked for,
  std::set<std::uint32_t> ready_;   ///< that have said Ready,
  std::set<std::uint32_t> failed_;  ///< and Failed.
  std::set<std::string> warnings_;  ///< Of nodes, as far as they were told.
  std::vector<NodeClock> clocks_;
};

}  // namespace adarun::launcher
