// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/acceptor.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

constexpr std::size_t most_pending = 256;                    // handshakes at a time
constexpr std::chrono::seconds handshake_deadline{5};        // for each of them
constexpr std::chrono::milliseconds time_to_introduce{200};  // A rank does so as soon as it is connected.
constexpr std::chrono::seconds time_to_prove{1};             // what takes a rank two messages
constexpr int look_again_ms = 100;

}  // namespace

// What has come is read first: those that have spoken need not give way.
int Acceptor::accept(std::span<Link> connections, int lowest, const Deadline& deadline) {
  while (true) {
    if (const auto rank = progress(connections, lowest)) return *rank;
    take_new_ones();
    if (deadline.passed())
      throw Error(names_.name(static_cast<int>(expected_.to)) + " waited in vain for ranks " +
                  missing(connections, lowest) + " to connect");
    wait(deadline);
  }
}

std::optional<int> Acceptor::progress(std::span<Link> connections, int lowest) {
  for (auto pending = pending_.begin(); pending != pending_.end();) {
    bool complete = false;
    bool refused = pending->deadline.passed();
    try {
      complete = pending->handshake.progress();
    } catch (const UnlikeMessages& error) {
      throw UnlikeMessages(names_.name(static_cast<int>(pending->handshake.introduction().from)) + ": " +
                           error.what());
    } catch (const Error&) {  // a stranger, or a rank that gave up
      refused = true;
    }
    const auto rank = static_cast<int>(pending->handshake.introduction().from);
    const bool is_another = rank >= lowest && rank != static_cast<int>(expected_.to);
    if (complete && is_another && !connections[static_cast<std::size_t>(rank)]) {
      connections[static_cast<std::size_t>(rank)] = pending->handshake.take_link();
      pending_.erase(pending);
      return rank;
    }
    pending = complete || refused ? pending_.erase(pending) : std::next(pending);
  }
  return std::nullopt;
}

void Acceptor::take_new_ones() {
  lacks_descriptors_ = false;
  for (std::size_t i = 0; i < most_pending && has_room(); ++i) {
    std::optional<Descriptor> connection;
    try {
      connection = accept_from(listener_);
    } catch (const Error&) {  // No descriptor is left: a handshake may set one free.
      if (pending_.empty()) throw;
      lacks_descriptors_ = true;
      if (const auto oldest = one_that_gives_way(); oldest != pending_.end()) pending_.erase(oldest);
    }
    if (!connection) return;
    if (pending_.size() == most_pending) pending_.erase(one_that_gives_way());
    pending_.push_back({Handshake::of_acceptor(std::move(*connection), expected_, secret_),
                        Deadline(time_to_introduce), Deadline(time_to_prove), Deadline(handshake_deadline)});
  }
}

bool Acceptor::has_room() const {
  return pending_.size() < most_pending || one_that_gives_way() != pending_.end();
}

// The oldest one, if there is any: the list is in the order in which they came.
std::list<Acceptor::Pending>::const_iterator Acceptor::one_that_gives_way() const {
  return std::ranges::find_if(pending_, [](const Pending& pending) {
    return pending.handshake.has_introduction() ? pending.proof.passed() : pending.introduction.passed();
  });
}

std::string Acceptor::missing(std::span<const Link> connections, int lowest) const {
  std::string text;
  for (int rank = lowest; static_cast<std::size_t>(rank) < connections.size(); ++rank) {
    if (rank == static_cast<int>(expected_.to) || connections[static_cast<std::size_t>(rank)]) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(names_.number(rank));
  }
  return text;
}

void Acceptor::wait(const Deadline& deadline) const {
  constexpr int none = -1;
  std::vector<pollfd> sources = {{has_room() && !lacks_descriptors_ ? listener_.get() : none, POLLIN, 0}};
  for (const Pending& pending : pending_)
    sources.push_back({pending.handshake.connection().get(), POLLIN, 0});
  ::poll(sources.data(), sources.size(), std::min(deadline.left_ms(), look_again_ms));
}

}  // namespace adasum::sockets
