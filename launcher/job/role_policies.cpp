// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/role_policies.h"

#include <algorithm>

namespace adarun::launcher {

RolePolicies::RolePolicies(const Plan& plan)
    : plan_(plan), tells_end_(std::ranges::any_of(plan.options.roles, [](const Role& role) {
        return role.policy.background || role.policy.restarts > 0;
      })) {}

std::vector<std::size_t> RolePolicies::restarts() const {
  std::vector<std::size_t> most;
  for (const Role& role : plan_.options.roles) most.push_back(role.policy.restarts);
  return most;
}

const RolePolicy& RolePolicies::policy_of(std::uint32_t rank) const {
  static const RolePolicy usual;
  const Role* role = plan_.role_of(rank);
  return role == nullptr ? usual : role->policy;
}

std::optional<std::vector<std::uint32_t>> RolePolicies::leave_node(std::uint32_t node, const Ranks& ranks) {
  std::vector<std::uint32_t> leaving;
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    if (ranks.records()[part.rank].state == RankState::done || has_left(part.rank)) continue;
    if (!is_optional(part.rank)) return std::nullopt;
    leaving.push_back(part.rank);
  }
  left_.insert(leaving.begin(), leaving.end());
  return leaving;
}

bool RolePolicies::is_over(const Ranks& ranks, const RankRestarts& restarts) {
  if (!tells_end_) return false;
  const auto is_over = [&](std::uint32_t rank) {
    return is_background(rank) || has_left(rank) || (ranks.has_ended(rank) && !restarts.is_awaited(rank));
  };
  while (next_ < plan_.world_size() && is_over(next_)) ++next_;
  return next_ == plan_.world_size();
}

std::string RolePolicies::describe_background(const Ranks& ranks) const {
  std::string names;
  std::size_t count = 0;
  for (const Role& role : plan_.options.roles) {
    const bool any_runs = std::ranges::any_of(role.ranks, [&ranks](std::uint32_t rank) {
      const RankState state = ranks.records()[rank].state;
      return state == RankState::running || state == RankState::waiting;
    });
    if (!role.policy.background || !any_runs) continue;
    names += (names.empty() ? "" : ", ") + role.name;
    ++count;
  }
  if (count == 0) return "";
  return count == 1 ? "role " + names + " ends" : "roles " + names + " end";
}

}  // namespace adarun::launcher
