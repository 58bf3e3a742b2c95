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

namespace adarun::launcher {

/// Nodes that a running job has lost, until spares have taken their places:
///
///     gone     -> awaited   its ranks cannot run any more, and a spare takes its place
///     awaited  -> started   the spare has sent Hello, and is sent its ranks
///     any      -> gone      the spare is lost, too
///
/// Passive.
class SpareJoins {
 public:
  using Clock = std::chrono::steady_clock;

  /// Puts a spare in the place of a node of the plan that is lost, there and in the transport. Returns why
  /// not; empty: it has. The node's next message is then the Hello of the spare.
  using TakePlace = std::function<std::string(std::uint32_t node)>;

  /// `take_place` is empty if the job has no spares.
  explicit SpareJoins(TakePlace take_place) : take_place_(std::move(take_place)) {}

  /// Whether spares join the job while it runs.
  bool are_possible() const { return static_cast<bool>(take_place_); }

  /// A node is lost, or its agent has ended. None of its ranks runs after `end`.
  void lose(std::uint32_t node, Clock::time_point end);

  /// The nodes that are gone, until a spare has been looked for.
  std::vector<std::uint32_t> gone(Clock::time_point now) const;
  bool is_gone(std::uint32_t node, Clock::time_point now) const;

  /// Looks for a spare for a node that is gone, once. Returns why none takes its place; empty: one does.
  std::string replace(std::uint32_t node);

  /// Nobody needs a spare for this node.
  void forget(std::uint32_t node) { gone_.erase(node); }

  /// Whether a spare has taken this place and has sent nothing yet; if so, it counts as started from now on.
  bool begin(std::uint32_t node) { return awaited_.erase(node) > 0; }

  /// The places whose spares have not been sent their ranks; they count as started from now on.
  std::vector<std::uint32_t> take_awaited();

  /// When the next node will be gone.
  std::optional<Clock::time_point> deadline() const;

 private:
  TakePlace take_place_;
  std::map<std::uint32_t, Clock::time_point> gone_;  ///< By node: from then on.
  std::set<std::uint32_t> awaited_;
};

}  // namespace adarun::launcher
