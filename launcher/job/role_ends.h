// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/rank_restarts.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// What the end of a rank or of a node means for the others by the policies of roles (RolePolicy). Passive.
/// Borrows the plan.
class RoleEnds {
 public:
  explicit RoleEnds(const Plan& plan);

  /// How often ranks may be started again, by role; empty in a job without roles.
  std::vector<std::size_t> restarts() const;

  bool is_optional(std::uint32_t rank) const { return policy_of(rank).optional; }
  bool is_background(std::uint32_t rank) const { return policy_of(rank).background; }

  /// The job goes on without this rank.
  void leave(std::uint32_t rank) { left_.insert(rank); }
  bool has_left(std::uint32_t rank) const { return left_.count(rank) != 0; }

  /// Whether the others can do without all ranks of a node: they leave then. `is_over`: those of the
  /// background are not needed any more.
  bool leave_node(std::uint32_t node, const Ranks& ranks, bool is_over);

  /// All that have left, ascending.
  std::vector<std::uint32_t> left() const { return {left_.begin(), left_.end()}; }

  /// Whether nothing is left to wait for. Always false where agents know that by themselves: no role is in
  /// the background or has restarts.
  bool is_over(const Ranks& ranks, const RankRestarts& restarts);

  /// "role proxy, role store": those of the background that still run; empty: none.
  std::string describe_background(const Ranks& ranks) const;

 private:
  const RolePolicy& policy_of(std::uint32_t rank) const;

  const Plan& plan_;
  bool decides_end_;
  std::set<std::uint32_t> left_;
  std::uint32_t next_ = 0;  ///< Ranks before it are not waited for any more.
};

}  // namespace adarun::launcher
