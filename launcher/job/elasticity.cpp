// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/elasticity.h"

#include <algorithm>
#include <utility>

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

// The end of a rank is known sooner than that, except of one on a node that does not answer.
constexpr milliseconds first_delay{300};
constexpr milliseconds longest_delay{60'000};
constexpr milliseconds quiet{600'000};  // after which the first delay is enough again

bool reported_its_error(const RankRecord& record) {
  return record.signal == 0 && !record.left_mpi_open;
}

}  // namespace

std::vector<std::uint32_t> Elasticity::members(const std::vector<RankRecord>& records) const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].state == RankState::running && finalized_.count(rank) == 0) ranks.push_back(rank);
  return ranks;
}

std::optional<protocol::Members> Elasticity::stay_on(std::uint32_t rank) {
  if (!stay_on_.insert(rank).second || stay_on_.size() != ranks_) return std::nullopt;
  protocol::Members all{++generation_, {}};
  all.ranks.assign(stay_on_.begin(), stay_on_.end());
  return all;
}

bool Elasticity::may_go_on_after(const Failure& failure) const {
  using Kind = Failure::Kind;
  const bool is_an_end = failure.kind == Kind::rank_failed || failure.kind == Kind::node_lost ||
                         failure.kind == Kind::could_not_start;  // An agent says that when it is told to end.
  return least_ && is_an_end && stay_on_.size() == ranks_;
}

Elasticity::Consequence Elasticity::after(const Failure& failure,
                                          const std::vector<RankRecord>& records) const {
  if (!may_go_on_after(failure)) return Consequence::job_fails;
  if (failure.rank && reported_its_error(records[*failure.rank])) return Consequence::job_fails;
  std::size_t enough = members(records).size();
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    const bool finishes = records[rank].state == RankState::running && finalized_.count(rank) != 0;
    if (finishes || records[rank].state == RankState::done) ++enough;
  }
  return enough < *least_ ? Consequence::too_few_left : Consequence::others_go_on;
}

protocol::Members Elasticity::without_ended(const std::vector<RankRecord>& records) {
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].state == RankState::failed || records[rank].state == RankState::lost)
      left_.insert(rank);
  reconnect_at_.reset();
  reconnected_at_.reset();
  return {++generation_, members(records)};
}

void Elasticity::lose_peer(std::uint64_t generation, Clock::time_point now) {
  if (generation != generation_ || reconnect_at_ || stay_on_.size() != ranks_) return;
  const bool often = reconnected_at_ && now - *reconnected_at_ < quiet;
  delay_ = often ? std::min(2 * delay_, longest_delay) : first_delay;
  reconnect_at_ = now + delay_;
}

std::optional<protocol::Members> Elasticity::reconnect(const std::vector<RankRecord>& records,
                                                       Clock::time_point now) {
  if (!reconnect_at_ || now < *reconnect_at_) return std::nullopt;
  reconnect_at_.reset();
  reconnected_at_ = now;
  return protocol::Members{++generation_, members(records)};
}

}  // namespace adarun::launcher
