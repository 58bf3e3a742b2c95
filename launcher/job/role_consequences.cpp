// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/role_consequences.h"

#include "launcher/job/describe_end.h"
#include "launcher/job/rank_record.h"

namespace adarun::launcher {

bool RoleConsequences::go_on_after(const Failure& failure, Clock::time_point now) {
  using Kind = Failure::Kind;
  if (failure.kind == Kind::rank_failed) return go_on_without_rank(*failure.rank, now);
  const bool is_end_of_node = failure.kind == Kind::node_lost || failure.kind == Kind::could_not_start ||
                              failure.kind == Kind::not_found || failure.kind == Kind::not_executable;
  return is_end_of_node && failure.node && go_on_without_node(*failure.node, failure.message);
}

bool RoleConsequences::would_go_on_without(std::uint32_t rank) const {
  return !is_waited_for_in_mpi(rank) && (roles_.is_optional(rank) || parts_.restarts.left(rank) > 0);
}

bool RoleConsequences::is_waited_for_in_mpi(std::uint32_t rank) const {
  const RankRecord& record = parts_.ranks.records()[rank];
  return record.missed_in_mpi || record.left_mpi_open || parts_.ranks.any_in_mpi_beside(rank);
}

bool RoleConsequences::go_on_without_rank(std::uint32_t rank, Clock::time_point now) {
  if (is_waited_for_in_mpi(rank)) return false;
  std::string consequence = orders_.plan(rank, now);
  if (consequence.empty()) {
    if (!roles_.is_optional(rank)) return false;
    roles_.leave(rank);
    consequence = "; the job goes on, as the role is optional";
  }
  parts_.ranks.bar_from_mpi(rank);
  parts_.observer.on_notice(describe_rank(parts_.plan, rank) + ": " +
                            describe_end(parts_.ranks.records()[rank]) + consequence);
  return true;
}

bool RoleConsequences::go_on_without_node(std::uint32_t node, const std::string& cause) {
  for (const protocol::RankSpec& spec : parts_.plan.nodes[node].start.ranks) {
    const RankRecord& record = parts_.ranks.records()[spec.rank];
    const bool has_left_mpi = record.state == RankState::done;
    if (!has_left_mpi && (record.joined_mpi || parts_.ranks.any_in_mpi_beside(spec.rank))) return false;
  }
  const auto left = roles_.leave_node(node, parts_.ranks);
  if (!left || (left->empty() && !roles_.tells_end())) return false;
  for (const std::uint32_t rank : *left) {
    parts_.ranks.bar_from_mpi(rank);
    parts_.observer.on_left(rank);
  }
  parts_.observer.on_notice(cause + (left->empty() ? "; all of its ranks had ended well"
                                                   : "; the job goes on, as its roles there are optional"));
  return true;
}

}  // namespace adarun::launcher
