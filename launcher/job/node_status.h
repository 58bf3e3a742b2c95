// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Estimates the offset of a node's clock from the launcher's. The error of a reading is half its round trip,
/// and grows with age: two clocks are assumed to drift apart by at most 100 ppm. The reading with the
/// smallest error at the time is kept; one that contradicts it (a clock was set) replaces it.
class NodeClock {
 public:
  void read(const ClockReading& reading);

  /// Converts a time of the node's clock to the launcher's; nullopt before the first reading.
  std::optional<Moment> here(std::int64_t node_ns) const;

 private:
  struct Offset {
    std::int64_t ns = 0;        ///< Node's clock minus ours,
    std::int64_t bound_ns = 0;  ///< its error,
    std::int64_t at_ns = 0;     ///< and the time of the reading by our clock.

    std::int64_t bound_at(std::int64_t ns_here) const;
  };

  std::optional<Offset> best_;
};

/// Status of nodes, from their own messages and from their links: which ones are greeted, ready, failed, cut
/// off, done or lost, and the offsets of their clocks. Each function handles one such event, tells the
/// observer, and returns a failure if the event fails the job. Passive. Borrows the constructor's arguments.
class NodeStatus {
 public:
  NodeStatus(const Plan& plan, Nodes& nodes, const Ranks& ranks, JobObserver& observer)
      : plan_(plan), nodes_(nodes), ranks_(ranks), observer_(observer), clocks_(plan.nodes.size()) {}

  /// Fails if the agent's version differs. Throws protocol::Error on a second Hello.
  std::optional<Failure> greet(std::uint32_t node, const protocol::Hello& hello);

  /// Throws protocol::Error on a second Ready.
  void set_ready(std::uint32_t node, const protocol::Ready& ready);

  /// Returns nullopt if the node has failed before. An agent that ends, for whatever reason of its own, once
  /// all of its ranks have begun counts as lost.
  std::optional<Failure> fail(std::uint32_t node, const protocol::Failed& failed);

  /// Whether it has sent Failed: its agent ends what runs there.
  bool has_failed(std::uint32_t node) const { return failed_.count(node) != 0; }

  /// Whether every node has failed as what is asked for cannot be had there.
  bool all_have_refused() const { return refused_.size() == nodes_.count(); }

  /// Another node has its place, from which Hello is awaited.
  void renew(std::uint32_t node);

  void finish(std::uint32_t node) { nodes_.set(node, NodeState::done); }

  /// Returns nullopt if the node was done.
  std::optional<Failure> lose(std::uint32_t node, const std::string& reason);

  /// Processes that its ranks left run on until the job ends, or are ended now, which the user is told.
  /// Throws protocol::Error on a second such end.
  void leave_running(std::uint32_t node, const protocol::LeftRunning& left);
  bool has_left_running(std::uint32_t node) const { return left_running_.count(node) != 0; }
  bool any_left_running() const { return !left_running_.empty(); }

  /// A node is not heard from, until resume() or lose().
  void cut(std::uint32_t node, const LinkCut& cut);
  void resume(std::uint32_t node);
  bool any_cut() const { return !cut_.empty(); }

  void read_clock(std::uint32_t node, const ClockReading& reading) { clocks_[node].read(reading); }

  /// One per node.
  const std::vector<NodeClock>& clocks() const { return clocks_; }

 private:
  const Plan& plan_;
  Nodes& nodes_;
  const Ranks& ranks_;
  JobObserver& observer_;
  std::set<std::uint32_t> cut_;           ///< Nodes that are not heard from,
  std::set<std::uint32_t> ready_;         ///< that have sent Ready,
  std::set<std::uint32_t> failed_;        ///< or Failed,
  std::set<std::uint32_t> refused_;       ///< or Failed with StartFailure::refused,
  std::set<std::uint32_t> left_running_;  ///< on which only processes run that ranks left,
  std::set<std::uint32_t> ended_left_;    ///< and that have ended such processes.
  std::set<std::string> warnings_;        ///< Nodes' warnings already shown to the user.
  std::vector<NodeClock> clocks_;
};

}  // namespace adarun::launcher
