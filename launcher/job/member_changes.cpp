// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/member_changes.h"

#include <algorithm>
#include <vector>

#include "launcher/job/failure.h"

namespace adarun::launcher {

bool MemberChanges::drop_ended(const std::string& cause) {
  const auto members = context_.elasticity.without_ended(context_.ranks.records());
  if (!members) return false;
  context_.nodes.broadcast(*members);
  context_.observer.on_members(*members, cause);
  return true;
}

void MemberChanges::tell_too_few() {
  if (const auto members = context_.elasticity.too_few(context_.ranks.records()))
    context_.nodes.broadcast(*members);
}

void MemberChanges::stay_on(std::uint32_t rank, Clock::time_point now) {
  if (context_.elasticity.has_left(rank)) {
    context_.elasticity.come(rank, now);
    if (!others_come_with(rank)) join();
  } else if (const auto members = context_.elasticity.stay_on(rank, context_.ranks.records())) {
    context_.nodes.broadcast(*members);
  }
}

// Whether another rank of its node has been started again, and has not said yet that it stays on.
bool MemberChanges::others_come_with(std::uint32_t rank) const {
  const std::vector<protocol::RankSpec>& its_node =
      context_.plan.nodes[context_.plan.node_of_rank[rank]].start.ranks;
  return std::ranges::any_of(its_node, [this](const protocol::RankSpec& spec) {
    return context_.elasticity.is_outside(spec.rank) && !context_.ranks.has_ended(spec.rank);
  });
}

void MemberChanges::join() {
  const std::vector<std::uint32_t> coming = context_.elasticity.coming();
  if (coming.empty()) return;
  const auto members = context_.elasticity.join(context_.ranks.records());
  if (!members) return;
  context_.nodes.broadcast(*members);
  const std::string others =
      coming.size() == 1 ? " comes" : " and " + std::to_string(coming.size() - 1) + " more come";
  context_.observer.on_members(*members, describe_rank(context_.plan, coming.front()) + others + " back");
}

void MemberChanges::listen_at(std::uint32_t rank, const std::string& endpoint, Clock::time_point now) {
  const bool has_come_back = context_.elasticity.listen_at(rank, endpoint);
  if (!has_come_back) return;
  context_.restarts.come_back(rank, now);
  context_.observer.on_notice(describe_rank(context_.plan, rank) + " has come back; the job goes on with " +
                              describe_count(context_.plan.world_size() - context_.elasticity.left().size()));
}

void MemberChanges::tick(Clock::time_point now) {
  if (context_.elasticity.is_join_due(now)) join();
  if (const auto members = context_.elasticity.reconnect(context_.ranks.records(), now)) {
    context_.nodes.broadcast(*members);
    context_.observer.on_members(*members, "connections were lost: the same ranks connect anew");
  }
}

std::string MemberChanges::describe_members() const {
  return describe_count(context_.elasticity.members(context_.ranks.records()).size());
}

std::string MemberChanges::describe_count(std::size_t ranks) const {
  return std::to_string(ranks) + " of " + std::to_string(context_.plan.world_size()) + " ranks";
}

bool MemberChanges::is_outside(std::uint32_t node) const {
  bool any = false;
  for (const protocol::RankSpec& spec : context_.plan.nodes[node].start.ranks) {
    const bool outside = context_.elasticity.is_outside(spec.rank);
    if (!outside && context_.ranks.records()[spec.rank].state != RankState::done) return false;
    any = any || outside;
  }
  return any;
}

bool MemberChanges::is_missed(std::uint32_t node) const {
  return std::ranges::any_of(context_.plan.nodes[node].start.ranks, [this](const protocol::RankSpec& spec) {
    return context_.elasticity.is_missed(spec.rank);
  });
}

}  // namespace adarun::launcher
