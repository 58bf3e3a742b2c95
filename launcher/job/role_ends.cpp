// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/role_ends.h"

#include <algorithm>

namespace adarun::launcher {

RoleEnds::RoleEnds(const Plan& plan)
    : plan_(plan), decides_end_(std::ranges::any_of(plan.roles, [](const Role& role) {
        return role.policy.background || role.policy.restarts > 0;
      })) {}

std::vector<std::size_t> RoleEnds::restarts() const {
  std::vector<std::size_t> most;
  for (const Role& role : plan_.roles) most.push_back(role.policy.restarts);
  return most;
}

const RolePolicy& RoleEnds::policy_of(std::uint32_t rank) const {
  static const RolePolicy usual;
  const Role* role = plan_.role_of(rank);
  return role == nullptr ? usual : role->policy;
}

bool RoleEnds::leave_node(std::uint32_t node, const Ranks& ranks, bool is_over) {
  std::vector<std::uint32_t> leaving;
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    if (ranks.records()[part.rank].state == RankState::done || has_left(part.rank)) continue;
    if (!is_optional(part.rank) && !(is_over && is_background(part.rank))) return false;
    leaving.push_back(part.rank);
  }
  left_.insert(leaving.begin(), leaving.end());
  return true;
}

bool RoleEnds::is_over(const Ranks& ranks, const RankRestarts& restarts) {
  if (!decides_end_) return false;
  const auto is_over = [&](std::uint32_t rank) {
    return is_background(rank) || has_left(rank) || (ranks.has_ended(rank) && !restarts.is_due(rank));
  };
  while (next_ < plan_.world_size() && is_over(next_)) ++next_;
  return next_ == plan_.world_size();
}

std::string RoleEnds::describe_background(const Ranks& ranks) const {
  std::string text;
  for (const Role& role : plan_.roles) {
    const bool any_runs = std::ranges::any_of(role.ranks, [&ranks](std::uint32_t rank) {
      const RankState state = ranks.records()[rank].state;
      return state == RankState::running || state == RankState::waiting;
    });
    if (role.policy.background && any_runs) text += (text.empty() ? "role " : ", role ") + role.name;
  }
  return text;
}

}  // namespace adarun::launcher
