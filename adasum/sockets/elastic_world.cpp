// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/elastic_world.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "adasum/sockets/socket_communicator.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

constexpr std::uint64_t first_generation = 1;             // all ranks, once each stays on
constexpr std::chrono::milliseconds first_attempt{2000};  // to meet; the next one may take twice as long
constexpr int most_in_vain = 10;  // attempts of the same members that end by themselves

}  // namespace

ElasticWorld::ElasticWorld(const ReadVariable& read, const sockets::MeshOptions& options,
                           std::chrono::milliseconds connect_timeout)
    : pmi_(pmi_descriptor(read), connect_timeout),
      options_(options),
      timeout_(std::max(connect_timeout, options.deadline)) {
  options_.abort_descriptor = pmi_.descriptor();
  const bool comes = is_started_again(read);
  sockets::Participant mine = comes ? late_participant_of(read, pmi_) : participant_of(read, pmi_, timeout_);
  rank_ = mine.rank;
  size_ = mine.size;
  secret_ = mine.secret;
  messages_ = mine.messages;
  if (comes)
    come(connect_timeout);
  else
    begin(std::move(mine), connect_timeout);
}

void ElasticWorld::begin(sockets::Participant mine, std::chrono::milliseconds timeout) {
  meet(std::move(mine), Deadline(timeout));
  settle();
  pmi_.stay_on();
  take(pmi_.members_after(0, timeout));
  if (members_.generation > first_generation) connect_members();  // Some have ended since.
}

void ElasticWorld::come(std::chrono::milliseconds timeout) {
  pmi_.stay_on();
  const auto end = std::chrono::steady_clock::now() + timeout;
  do {  // The first ones that it hears of may be those that had changed before it came.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    take(pmi_.members_after(members_.generation, left));
  } while (!is_member());
  connect_members();
}

bool ElasticWorld::is_member() const {
  return std::ranges::binary_search(members_.ranks, rank_);
}

void ElasticWorld::settle() {
  if (!endpoint_) return;
  pmi_.listen_at(*endpoint_);
  endpoint_.reset();
}

void ElasticWorld::change() {
  communicator_.reset();  // The others notice.
  await_members();
  connect_members();
}

void ElasticWorld::await_members() {
  pmi_.lose_peer(members_.generation);
  take(pmi_.members_after(members_.generation, timeout_));
}

void ElasticWorld::take(sockets::PmiClient::Members members) {
  if (!members.ranks.empty() && members.ranks.back() >= size_)
    throw Error("PMI: rank " + std::to_string(members.ranks.back()) + " is none of this job");
  members_ = std::move(members);
}

void ElasticWorld::connect_members() {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + timeout_;
  std::chrono::milliseconds attempt = first_attempt;
  for (int in_vain = 0;;) {
    bool was_cut_short = false;  // The members may be the same ones, of which another one broke off.
    if (!is_member()) throw Error("rank " + std::to_string(rank_) + " is not among the ranks that continue");
    const auto begin = Clock::now();
    try {
      return connect(std::min(attempt, std::chrono::ceil<std::chrono::milliseconds>(end - begin)));
    } catch (const Error&) {  // Another one may have ended meanwhile.
      was_cut_short = Deadline({}, pmi_.descriptor()).aborted();
      if (Clock::now() >= end || (in_vain == most_in_vain && !was_cut_short)) throw;
    }
    if (Clock::now() - begin >= attempt) attempt *= 2;
    const std::vector<int> before = members_.ranks;
    await_members();
    if (members_.ranks != before)
      in_vain = 0;
    else if (!was_cut_short)
      ++in_vain;
  }
}

int ElasticWorld::oldest() const {
  return place_of(members_.root);
}

int ElasticWorld::place_of(int rank) const {
  return static_cast<int>(std::ranges::lower_bound(members_.ranks, rank) - members_.ranks.begin());
}

void ElasticWorld::connect(std::chrono::milliseconds timeout) {
  Descriptor listener;
  if (listener_) {  // A duplicate: it is still needed if this attempt fails.
    listener = Descriptor(::fcntl(listener_.get(), F_DUPFD_CLOEXEC, 0));
    if (!listener)
      throw Error("rank " + std::to_string(rank_) +
                  ": cannot duplicate its listener: " + std::generic_category().message(errno));
  }
  sockets::Participant mine{.rank = place_of(rank_),
                            .size = static_cast<int>(members_.ranks.size()),
                            .generation = members_.generation,
                            .root = members_.at,
                            .secret = secret_,
                            .listener = std::move(listener),
                            .root_rank = oldest(),
                            .messages = messages_};
  meet(std::move(mine), Deadline(timeout, pmi_.descriptor()));
}

void ElasticWorld::meet(sockets::Participant mine, const Deadline& deadline) {
  const int rank = mine.rank;
  options_.names = sockets::RankNames(members_.ranks);
  mine.names = options_.names;
  sockets::RankConnections meeting = sockets::meet(std::move(mine), deadline);
  if (!listener_) {
    endpoint_ = meeting.endpoint;
    listener_ = std::move(meeting.listener);
  }
  communicator_ = connected_communicator(rank, std::move(meeting.connections), options_);
}

}  // namespace adasum
