// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/elasticity.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "launcher/job/job_context.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/mpi.h"

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

// The end of a rank is known sooner than that, except of one on a node that does not answer.
constexpr milliseconds first_delay{300};
constexpr milliseconds longest_delay{60'000};
constexpr milliseconds longest_batch{5'000};  // of ranks that start at the same time
constexpr milliseconds quiet{600'000};        // after which the first delay is enough again

bool reported_its_error(const RankRecord& record) {
  return record.signal == 0 && !record.left_mpi_open;
}

}  // namespace

std::vector<std::uint32_t> Elasticity::members(const std::vector<RankRecord>& records) const {
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : stay_on_)
    if (records[rank].state == RankState::running && finalized_.count(rank) == 0) ranks.push_back(rank);
  return ranks;
}

// The root is the one that has been there for longest. Newcomers alone have nothing to continue from.
std::optional<protocol::Members> Elasticity::next(const std::vector<RankRecord>& records) {
  protocol::Members all{generation_ + 1, members(records)};
  const Place* oldest = nullptr;
  for (const std::uint32_t rank : all.ranks) {
    const auto place = places_.find(rank);
    if (place == places_.end() || (oldest != nullptr && oldest->since <= place->second.since)) continue;
    oldest = &place->second;
    all.root = rank;
    all.at = oldest->endpoint;
  }
  if (oldest == nullptr) return std::nullopt;
  coming_.clear();
  join_at_.reset();
  ++generation_;
  return all;
}

bool Elasticity::listen_at(std::uint32_t rank, const std::string& endpoint) {
  if (!protocol::is_endpoint(endpoint)) throw protocol::Error("a rank listens where none can");
  places_[rank] = {endpoint, generation_};
  return left_.erase(rank) > 0;
}

std::optional<protocol::Members> Elasticity::stay_on(std::uint32_t rank,
                                                     const std::vector<RankRecord>& records) {
  stay_on_.insert(rank);
  if (is_complete() || stay_on_.size() != ranks_) return std::nullopt;
  return next(records);
}

void Elasticity::come(std::uint32_t rank, Clock::time_point now) {
  if (!stay_on_.insert(rank).second) return;
  coming_.insert(rank);
  if (!join_at_) join_at_ = now + longest_batch;
}

std::optional<protocol::Members> Elasticity::join(const std::vector<RankRecord>& records) {
  coming_.clear();
  join_at_.reset();
  reconnect_at_.reset();
  return next(records);
}

bool Elasticity::is_over(const std::vector<RankRecord>& records) const {
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    const bool runs = records[rank].state == RankState::running || records[rank].state == RankState::waiting;
    if (runs && (!is_complete() || has_come(rank))) return false;
  }
  return true;
}

bool Elasticity::may_continue_after(const Failure& failure) const {
  using Kind = Failure::Kind;
  const bool is_an_end = failure.kind == Kind::rank_failed || failure.kind == Kind::node_lost ||
                         failure.kind == Kind::could_not_start;  // An agent says that when it is told to end.
  return least_ && is_an_end && is_complete();
}

Elasticity::Consequence Elasticity::after(const Failure& failure,
                                          const std::vector<RankRecord>& records) const {
  if (!may_continue_after(failure)) return Consequence::job_fails;
  if (failure.rank && reported_its_error(records[*failure.rank])) return Consequence::job_fails;
  const std::vector<std::uint32_t> left = members(records);
  std::size_t ended_well = 0;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    const bool finishes = records[rank].state == RankState::running && finalized_.count(rank) != 0;
    if (finishes || records[rank].state == RankState::done) ++ended_well;
  }
  if (left.size() + ended_well < *least_) return Consequence::too_few_left;
  const auto come = [this](std::uint32_t rank) { return has_come(rank); };
  if (ended_well == 0 && std::ranges::none_of(left, come)) return Consequence::none_knows;
  return Consequence::others_go_on;
}

std::optional<protocol::Members> Elasticity::without_ended(const std::vector<RankRecord>& records) {
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].state == RankState::failed || records[rank].state == RankState::lost) {
      left_.insert(rank);
      stay_on_.erase(rank);
      places_.erase(rank);
    }
  reconnect_at_.reset();
  reconnected_at_.reset();
  return next(records);
}

void Elasticity::lose_peer(std::uint64_t generation, Clock::time_point now) {
  if (generation != generation_ || reconnect_at_ || !is_complete()) return;
  const bool often = reconnected_at_ && now - *reconnected_at_ < quiet;
  delay_ = often ? std::min(2 * delay_, longest_delay) : first_delay;
  reconnect_at_ = now + delay_;
}

std::optional<Elasticity::Clock::time_point> Elasticity::deadline() const {
  if (!reconnect_at_ || !join_at_) return reconnect_at_ ? reconnect_at_ : join_at_;
  return std::min(*reconnect_at_, *join_at_);
}

std::optional<protocol::Members> Elasticity::reconnect(const std::vector<RankRecord>& records,
                                                       Clock::time_point now) {
  if (!reconnect_at_ || now < *reconnect_at_) return std::nullopt;
  reconnect_at_.reset();
  reconnected_at_ = now;
  return next(records);
}

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
  context_.observer.on_notice(describe_rank(context_.plan, rank) + " has come back; the job continues with " +
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
