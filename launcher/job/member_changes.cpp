// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/member_changes.h"

#include <algorithm>
#include <vector>

#include "launcher/job/failure.h"

namespace adarun::launcher {

bool MemberChanges::drop_ended(const std::string& cause) {
  const auto members = parts_.elasticity.without_ended(parts_.ranks.records());
  if (!members) return false;
  parts_.nodes.broadcast(*members);
  parts_.observer.on_members(*members, cause);
  return true;
}

void MemberChanges::tell_too_few() {
  if (const auto members = parts_.elasticity.too_few(parts_.ranks.records()))
    parts_.nodes.broadcast(*members);
}

void MemberChanges::stay_on(std::uint32_t rank, Clock::time_point now) {
  if (parts_.elasticity.has_left(rank)) {
    parts_.elasticity.come(rank, now);
    if (!others_come_with(rank)) join();
  } else if (const auto members = parts_.elasticity.stay_on(rank, parts_.ranks.records())) {
    parts_.nodes.broadcast(*members);
  }
}

// Whether another rank of its node has been started again, and has not said yet that it stays on.
bool MemberChanges::others_come_with(std::uint32_t rank) const {
  const std::vector<protocol::RankSpec>& its_node =
      parts_.plan.nodes[parts_.plan.node_of_rank[rank]].start.ranks;
  return std::ranges::any_of(its_node, [this](const protocol::RankSpec& spec) {
    return parts_.elasticity.is_outside(spec.rank) && !parts_.ranks.has_ended(spec.rank);
  });
}

void MemberChanges::join() {
  const std::vector<std::uint32_t> coming = parts_.elasticity.coming();
  if (coming.empty()) return;
  const auto members = parts_.elasticity.join(parts_.ranks.records());
  if (!members) return;
  parts_.nodes.broadcast(*members);
  const std::string others =
      coming.size() == 1 ? " comes" : " and " + std::to_string(coming.size() - 1) + " more come";
  parts_.observer.on_members(*members, describe_rank(parts_.plan, coming.front()) + others + " back");
}

void MemberChanges::listen_at(std::uint32_t rank, const std::string& endpoint, Clock::time_point now) {
  const bool has_come_back = parts_.elasticity.listen_at(rank, endpoint);
  if (!has_come_back) return;
  parts_.restarts.come_back(rank, now);
  parts_.observer.on_notice(describe_rank(parts_.plan, rank) + " has come back; the job goes on with " +
                            describe_count(parts_.plan.world_size() - parts_.elasticity.left().size()));
}

void MemberChanges::tick(Clock::time_point now) {
  if (parts_.elasticity.is_join_due(now)) join();
  if (const auto members = parts_.elasticity.reconnect(parts_.ranks.records(), now)) {
    parts_.nodes.broadcast(*members);
    parts_.observer.on_members(*members, "connections were lost: the same ranks connect anew");
  }
}

std::string MemberChanges::describe_members() const {
  return describe_count(parts_.elasticity.members(parts_.ranks.records()).size());
}

std::string MemberChanges::describe_count(std::size_t ranks) const {
  return std::to_string(ranks) + " of " + std::to_string(parts_.plan.world_size()) + " ranks";
}

bool MemberChanges::is_outside(std::uint32_t node) const {
  bool any = false;
  for (const protocol::RankSpec& spec : parts_.plan.nodes[node].start.ranks) {
    const bool outside = parts_.elasticity.is_outside(spec.rank);
    if (!outside && parts_.ranks.records()[spec.rank].state != RankState::done) return false;
    any = any || outside;
  }
  return any;
}

bool MemberChanges::is_missed(std::uint32_t node) const {
  return std::ranges::any_of(parts_.plan.nodes[node].start.ranks, [this](const protocol::RankSpec& spec) {
    return parts_.elasticity.is_missed(spec.rank);
  });
}

}  // namespace adarun::launcher
