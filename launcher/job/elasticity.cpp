// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/elasticity.h"

#include <algorithm>

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
constexpr milliseconds joint_end{10'000};     // Ranks that have done all end within it.

bool reported_its_error(const RankRecord& record) {
  return record.signal == 0 && !record.left_mpi_open;
}

}  // namespace

std::vector<std::uint32_t> Elasticity::members() const {
  const std::vector<RankRecord>& records = context_.ranks.records();
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : stay_on_)
    if (records[rank].state == RankState::running && finalized_.count(rank) == 0) ranks.push_back(rank);
  return ranks;
}

// Tells the ranks who the members are now, and the user, unless `why` is empty. The root is the one that has
// been there for longest. Returns false if there is none: newcomers alone have nothing to continue from.
bool Elasticity::change(const std::string& why) {
  protocol::Members all{generation_ + 1, members()};
  const Place* oldest = nullptr;
  for (const std::uint32_t rank : all.ranks) {
    const auto place = places_.find(rank);
    if (place == places_.end() || (oldest != nullptr && oldest->since <= place->second.since)) continue;
    oldest = &place->second;
    all.root = rank;
    all.at = oldest->endpoint;
  }
  if (oldest == nullptr) return false;
  coming_.clear();
  join_at_.reset();
  ++generation_;
  context_.nodes.broadcast(all);
  if (!why.empty()) context_.observer.on_members(all, why);
  return true;
}

void Elasticity::listen_at(std::uint32_t rank, const std::string& endpoint, Clock::time_point now) {
  if (!protocol::is_endpoint(endpoint)) throw protocol::Error("a rank listens where none can");
  places_[rank] = {endpoint, generation_};
  if (left_.erase(rank) == 0) return;
  context_.restarts.come_back(rank, now);
  context_.observer.on_notice(describe_rank(context_.plan, rank) + " has come back; the job continues with " +
                              describe_count(context_.plan.world_size() - left_.size()));
}

void Elasticity::stay_on(std::uint32_t rank, Clock::time_point now) {
  const bool is_new = stay_on_.insert(rank).second;
  if (has_left(rank)) {
    if (is_new) coming_.insert(rank);
    if (is_new && !join_at_) join_at_ = now + longest_batch;
    if (!others_come_with(rank)) join();
  } else if (!is_complete() && stay_on_.size() == context_.plan.world_size()) {
    change("");
  }
}

// Whether another rank of its node has been started again, and has not said yet that it stays on.
bool Elasticity::others_come_with(std::uint32_t rank) const {
  const NodePlan& node = context_.plan.nodes[context_.plan.node_of_rank[rank]];
  return std::ranges::any_of(node.start.ranks, [this](const protocol::RankSpec& spec) {
    return is_outside(spec.rank) && !context_.ranks.has_ended(spec.rank);
  });
}

void Elasticity::join() {
  if (coming_.empty()) return;
  const std::string others =
      coming_.size() == 1 ? " comes" : " and " + std::to_string(coming_.size() - 1) + " more come";
  const std::string why = describe_rank(context_.plan, *coming_.begin()) + others + " back";
  coming_.clear();
  join_at_.reset();
  reconnect_at_.reset();
  change(why);
}

bool Elasticity::is_over() const {
  const std::vector<RankRecord>& records = context_.ranks.records();
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
  return is_an_end && is_complete();
}

// Whether ranks had ended well at about the time of this. A node may have been silent for its lease.
bool Elasticity::is_ending(const Failure& failure, Clock::time_point now) const {
  if (!ended_at_) return false;
  milliseconds before = joint_end;
  if (failure.kind == Failure::Kind::node_lost && failure.node)
    before += milliseconds(context_.plan.nodes[*failure.node].start.lease_ms);
  return now - *ended_at_ < before;
}

Elasticity::Consequence Elasticity::after(const Failure& failure, Clock::time_point now) const {
  const std::vector<RankRecord>& records = context_.ranks.records();
  if (failure.rank && reported_its_error(records[*failure.rank])) return Consequence::job_fails;
  const std::vector<std::uint32_t> left = members();
  std::size_t done = 0;
  std::size_t finishing = 0;
  std::size_t before = 0;  // Without which the job had continued.
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    if (records[rank].state == RankState::done) ++done;
    if (records[rank].state == RankState::running && finalized_.count(rank) != 0) ++finishing;
    if (records[rank].state != RankState::done && has_left(rank)) ++before;
  }
  if (done > 0 && done + before == records.size()) return Consequence::others_go_on;
  if (left.size() + done + finishing < *context_.plan.options.min_ranks) return Consequence::too_few_left;
  const auto come = [this](std::uint32_t rank) { return has_come(rank); };
  const bool all_end = finishing > 0 || (done > 0 && is_ending(failure, now));
  return all_end || std::ranges::any_of(left, come) ? Consequence::others_go_on : Consequence::none_knows;
}

void Elasticity::end_well(Clock::time_point now) {
  if (!is_complete()) return;
  ended_at_ = now;
  joint_end_at_ = now + joint_end;
}

void Elasticity::tell_of_few() {
  const std::size_t left = members().size();
  if (told_of_few_ || left == 0 || left >= context_.plan.options.min_ranks.value_or(0)) return;
  told_of_few_ = true;
  const std::vector<RankRecord>& records = context_.ranks.records();
  const auto done = static_cast<std::size_t>(std::ranges::count_if(
      records, [](const RankRecord& record) { return record.state == RankState::done; }));
  context_.observer.on_notice(describe_count(done) + " have ended well; the job continues with " +
                              describe_members() + ", fewer than --min-ranks " +
                              std::to_string(*context_.plan.options.min_ranks));
}

bool Elasticity::drop_ended(const std::string& cause) {
  const std::vector<RankRecord>& records = context_.ranks.records();
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].state == RankState::failed || records[rank].state == RankState::lost) {
      left_.insert(rank);
      stay_on_.erase(rank);
      places_.erase(rank);
    }
  reconnect_at_.reset();
  reconnected_at_.reset();
  return change(cause);
}

void Elasticity::lose_peer(std::uint64_t generation, Clock::time_point now) {
  if (generation != generation_ || reconnect_at_ || !is_complete()) return;
  const bool often = reconnected_at_ && now - *reconnected_at_ < quiet;
  delay_ = often ? std::min(2 * delay_, longest_delay) : first_delay;
  reconnect_at_ = now + delay_;
}

std::optional<Elasticity::Clock::time_point> Elasticity::deadline() const {
  std::optional<Clock::time_point> next = joint_end_at_;
  for (const auto& due : {reconnect_at_, join_at_})
    if (due) next = std::min(next.value_or(Clock::time_point::max()), *due);
  return next;
}

void Elasticity::tick(Clock::time_point now) {
  if (join_at_ && now >= *join_at_) join();
  if (joint_end_at_ && now >= *joint_end_at_) {
    joint_end_at_.reset();
    tell_of_few();
  }
  if (!reconnect_at_ || now < *reconnect_at_) return;
  reconnect_at_.reset();
  ended_at_.reset();
  reconnected_at_ = now;
  change("connections were lost: the same ranks connect anew");
}

std::string Elasticity::describe_count(std::size_t ranks) const {
  return std::to_string(ranks) + " of " + std::to_string(context_.plan.world_size()) + " ranks";
}

bool Elasticity::is_node_outside(std::uint32_t node) const {
  bool any = false;
  for (const protocol::RankSpec& spec : context_.plan.nodes[node].start.ranks) {
    const bool outside = is_outside(spec.rank);
    if (!outside && context_.ranks.records()[spec.rank].state != RankState::done) return false;
    any = any || outside;
  }
  return any;
}

bool Elasticity::is_node_missed(std::uint32_t node) const {
  return std::ranges::any_of(context_.plan.nodes[node].start.ranks,
                             [this](const protocol::RankSpec& spec) { return is_missed(spec.rank); });
}

}  // namespace adarun::launcher
