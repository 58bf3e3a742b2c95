// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"
#include "launcher/stage/staging.h"

namespace adarun::launcher {

/// Nodes that a running job has lost, until spares have taken their places:
///
///     gone     -> awaited   its ranks cannot run any more, and a spare takes its place
///     awaited  -> staging   the spare has sent Hello, and is sent files
///     staging  -> started   it has all files, and is sent its ranks
///     any      -> gone      the spare is lost, too
///
/// Passive. Borrows plan and nodes.
class SpareJoins {
 public:
  using Clock = std::chrono::steady_clock;

  /// Puts a spare in the place of a node of the plan that is lost, there and in the transport. Returns why
  /// not; empty: it has. The node's next message is then the Hello of the spare.
  using TakePlace = std::function<std::string(std::uint32_t node)>;

  /// `take_place` is empty if the job has no spares.
  SpareJoins(const Plan& plan, Nodes& nodes, TakePlace take_place)
      : plan_(plan), nodes_(nodes), take_place_(std::move(take_place)) {}

  /// Whether spares join the job while it runs.
  bool are_possible() const { return static_cast<bool>(take_place_); }

  /// A node is lost, or its agent has ended. None of its ranks runs after `end`. A spare that has not been
  /// started runs nothing.
  void lose(std::uint32_t node, Clock::time_point end);

  /// The nodes that are gone, until a spare has been looked for.
  std::vector<std::uint32_t> gone(Clock::time_point now) const;
  bool is_gone(std::uint32_t node, Clock::time_point now) const;

  /// Looks for a spare for a node that is gone, once. Returns why none takes its place; empty: one does.
  std::string replace(std::uint32_t node);

  /// Nobody needs a spare for this node.
  void forget(std::uint32_t node) { gone_.erase(node); }

  /// Whether a spare has a place whose next message is its Hello. What comes before is of the node that was
  /// there.
  bool awaits(std::uint32_t node) const { return awaited_.count(node) != 0; }

  /// Whether a spare is sent files, and has no ranks yet.
  bool is_staging(std::uint32_t node) const { return staging_.count(node) != 0; }

  /// A node has sent Hello. Returns whether it is a spare that was awaited: it is sent files now.
  bool greet(std::uint32_t node);

  /// Handles a message from a node; false if it is not about the files of a spare. Throws protocol::Error as
  /// Staging does, and Error if a file cannot be read.
  bool take(std::uint32_t node, const protocol::Message& message);

  /// The spares for which local files are still being read: call read() again soon, which throws Error if one
  /// cannot be.
  std::vector<std::uint32_t> reading() const;
  void read(std::uint32_t node) { staging_.at(node).tick(); }

  /// The spares that have all files.
  std::vector<std::uint32_t> ready() const;

  /// Whether a spare has all files; if so, it counts as started from now on.
  bool take_ready(std::uint32_t node);

  /// The job is being stopped. Returns the places whose spares have been sent nothing.
  std::vector<std::uint32_t> stop();

  /// When the next node will be gone, or, while files are being read, `now`.
  std::optional<Clock::time_point> deadline(Clock::time_point now) const;

 private:
  const Plan& plan_;
  Nodes& nodes_;
  TakePlace take_place_;
  std::map<std::uint32_t, Clock::time_point> gone_;  ///< By node: from then on.
  std::set<std::uint32_t> awaited_;
  std::map<std::uint32_t, Staging> staging_;
};

}  // namespace adarun::launcher
