// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/elasticity.h"

#include <algorithm>
#include <utility>

#include "launcher/protocol/error.h"

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

// The end of a rank is known sooner than that, except of one on a node that does not answer.
constexpr milliseconds first_delay{300};
constexpr milliseconds longest_delay{60'000};
constexpr std::size_t most_endpoint_bytes = 300;
constexpr milliseconds quiet{600'000};  // after which the first delay is enough again

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

// The root is the one that has met the others first: what it knows, newcomers may not.
protocol::Members Elasticity::next(const std::vector<RankRecord>& records) {
  protocol::Members all{++generation_, members(records)};
  const Place* oldest = nullptr;
  for (const std::uint32_t rank : all.ranks) {
    const auto place = places_.find(rank);
    if (place == places_.end() || (oldest != nullptr && oldest->since <= place->second.since)) continue;
    oldest = &place->second;
    all.root = rank;
    all.at = oldest->endpoint;
  }
  return all;
}

void Elasticity::listen_at(std::uint32_t rank, const std::string& endpoint) {
  const bool is_plain = std::ranges::all_of(endpoint, [](char c) { return c > ' ' && c <= '~' && c != '='; });
  if (endpoint.empty() || endpoint.size() > most_endpoint_bytes || !is_plain)
    throw protocol::Error("a rank listens where none can");
  places_[rank] = {endpoint, generation_};
}

std::optional<protocol::Members> Elasticity::stay_on(std::uint32_t rank,
                                                     const std::vector<RankRecord>& records) {
  if (!stay_on_.insert(rank).second) return std::nullopt;
  if (!is_complete() && stay_on_.size() != ranks_) return std::nullopt;
  if (is_complete() && members(records) == std::vector{rank}) return std::nullopt;
  left_.erase(rank);
  reconnect_at_.reset();
  return next(records);
}

bool Elasticity::is_over(const std::vector<RankRecord>& records) const {
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if ((records[rank].state == RankState::running || records[rank].state == RankState::waiting) &&
        !has_left(rank))
      return false;
  return true;
}

bool Elasticity::may_go_on_after(const Failure& failure) const {
  using Kind = Failure::Kind;
  const bool is_an_end = failure.kind == Kind::rank_failed || failure.kind == Kind::node_lost ||
                         failure.kind == Kind::could_not_start;  // An agent says that when it is told to end.
  return least_ && is_an_end && is_complete();
}

Elasticity::Consequence Elasticity::after(const Failure& failure,
                                          const std::vector<RankRecord>& records) const {
  if (!may_go_on_after(failure)) return Consequence::job_fails;
  if (failure.rank && reported_its_error(records[*failure.rank])) return Consequence::job_fails;
  const std::vector<std::uint32_t> left = members(records);
  const auto was_member = [this](std::uint32_t rank) { return places_.count(rank) != 0; };
  if (!left.empty() && std::ranges::none_of(left, was_member)) return Consequence::none_knows;
  std::size_t enough = left.size();
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    const bool finishes = records[rank].state == RankState::running && finalized_.count(rank) != 0;
    if (finishes || records[rank].state == RankState::done) ++enough;
  }
  return enough < *least_ ? Consequence::too_few_left : Consequence::others_go_on;
}

protocol::Members Elasticity::without_ended(const std::vector<RankRecord>& records) {
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

std::optional<protocol::Members> Elasticity::reconnect(const std::vector<RankRecord>& records,
                                                       Clock::time_point now) {
  if (!reconnect_at_ || now < *reconnect_at_) return std::nullopt;
  reconnect_at_.reset();
  reconnected_at_ = now;
  return next(records);
}

}  // namespace adarun::launcher
