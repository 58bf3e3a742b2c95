// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/rank_restarts.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// What the end of a rank or of a node means for the others by the policies of roles (RolePolicy). Passive.
/// Borrows the plan.
class RolePolicies {
 public:
  explicit RolePolicies(const Plan& plan);

  /// How often ranks may be started again, by role; empty in a job without roles.
  std::vector<std::size_t> restarts() const;

  bool is_optional(std::uint32_t rank) const { return policy_of(rank).optional; }
  bool is_background(std::uint32_t rank) const { return policy_of(rank).background; }

  /// The job goes on without this rank.
  void leave(std::uint32_t rank) { left_.insert(rank); }
  bool has_left(std::uint32_t rank) const { return left_.count(rank) != 0; }

  /// Whether the others can do without all ranks of a node, which have then left. Returns these ranks: none
  /// of those that had ended well.
  std::optional<std::vector<std::uint32_t>> leave_node(std::uint32_t node, const Ranks& ranks);

  /// All that have left, ascending.
  std::vector<std::uint32_t> left() const { return {left_.begin(), left_.end()}; }

  /// Whether agents have to be told when nothing is left to wait for, since some role is in the background or
  /// has restarts. Otherwise they know by themselves.
  bool tells_end() const { return tells_end_; }

  /// Whether nothing is left to wait for; false unless agents have to be told.
  bool is_over(const Ranks& ranks, const RankRestarts& restarts);

  /// "role proxy ends", "roles proxy, store end": those of the background that still run; empty: none.
  std::string describe_background(const Ranks& ranks) const;

 private:
  const RolePolicy& policy_of(std::uint32_t rank) const;

  const Plan& plan_;
  bool tells_end_;
  std::set<std::uint32_t> left_;
  std::uint32_t next_ = 0;  ///< Ranks before it are not waited for any more.
};

}  // namespace adarun::launcher
