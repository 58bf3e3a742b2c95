// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/elastic_world.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "adasum/sockets/socket_communicator.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

constexpr std::uint64_t first_generation = 1;             // all ranks, once each stays on
constexpr std::chrono::milliseconds first_attempt{2000};  // to meet; the next one may take twice as long

}  // namespace

ElasticWorld::ElasticWorld(const ReadVariable& read, const sockets::MeshOptions& options,
                           std::chrono::milliseconds connect_timeout)
    : pmi_(pmi_descriptor(read), connect_timeout),
      options_(options),
      timeout_(std::max(connect_timeout, options.deadline)) {
  sockets::Participant mine = participant_of(read, pmi_);
  rank_ = mine.rank;
  secret_ = mine.secret;
  members_.ranks.resize(static_cast<std::size_t>(mine.size));
  std::iota(members_.ranks.begin(), members_.ranks.end(), 0);
  sockets::Meeting meeting = sockets::meet(std::move(mine), Deadline(connect_timeout));
  endpoints_ = std::move(meeting.endpoints);
  listener_ = std::move(meeting.listener);
  options_.abort_descriptor = pmi_.descriptor();
  communicator_ = connected_communicator(rank_, std::move(meeting.connections), options_);
  pmi_.stay_on();
  take(pmi_.members_after(0, connect_timeout));
  if (members_.generation > first_generation) connect_those_left();  // Some have ended since.
}

void ElasticWorld::change() {
  communicator_.reset();  // The others notice.
  await_members();
  connect_those_left();
}

void ElasticWorld::await_members() {
  pmi_.lose_peer(members_.generation);
  take(pmi_.members_after(members_.generation, timeout_));
}

void ElasticWorld::take(sockets::PmiClient::Members members) {
  if (!members.ranks.empty() && static_cast<std::size_t>(members.ranks.back()) >= endpoints_.size())
    throw Error("PMI: rank " + std::to_string(members.ranks.back()) + " is none of this job");
  members_ = std::move(members);
}

void ElasticWorld::connect_those_left() {
  const auto end = std::chrono::steady_clock::now() + timeout_;
  for (std::chrono::milliseconds attempt = first_attempt;; attempt *= 2) {
    if (!std::ranges::binary_search(members_.ranks, rank_))
      throw Error("rank " + std::to_string(rank_) + " is not among the ranks that go on");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    try {
      return connect(std::min(attempt, left));
    } catch (const Error&) {  // Another one may have ended meanwhile.
      if (attempt >= left) throw;
    }
    await_members();
  }
}

void ElasticWorld::connect(std::chrono::milliseconds timeout) {
  const auto place = std::ranges::lower_bound(members_.ranks, rank_);
  sockets::Participant mine{.rank = static_cast<int>(place - members_.ranks.begin()),
                            .size = static_cast<int>(members_.ranks.size()),
                            .generation = members_.generation,
                            .root = {},
                            .secret = secret_,
                            .listener = {}};
  std::vector<sockets::Endpoint> endpoints;
  endpoints.reserve(members_.ranks.size());
  for (const int member : members_.ranks) endpoints.push_back(endpoints_[static_cast<std::size_t>(member)]);
  auto connections = sockets::meet_again(mine, listener_, endpoints, Deadline(timeout, pmi_.descriptor()));
  communicator_ = connected_communicator(mine.rank, std::move(connections), options_);
}

}  // namespace adasum
