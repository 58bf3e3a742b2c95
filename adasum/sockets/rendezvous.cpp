// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/rendezvous.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "adasum/sockets/acceptor.h"
#include "adasum/sockets/handshake.h"
#include "adasum/sockets/link.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

/// Where a rank listens, as it goes over the wire: little-endian port, then the address as text, ended by
/// zeroes.
struct ListedEndpoint {
  std::array<std::byte, 2> port{};
  std::array<char, 46> address{};  // INET6_ADDRSTRLEN
};
static_assert(sizeof(ListedEndpoint) == 48);

ListedEndpoint listed(const Endpoint& endpoint) {
  ListedEndpoint listed;
  put_number(listed.port.data(), endpoint.port);
  std::copy_n(endpoint.host.begin(), std::min(endpoint.host.size(), listed.address.size() - 1),
              listed.address.begin());
  return listed;
}

Endpoint endpoint_of(const ListedEndpoint& listed) {
  const auto end = std::ranges::find(listed.address, '\0');
  return {std::string(listed.address.begin(), end), number_at<std::uint16_t>(listed.port.data())};
}

/// The connection to a rank with which this one has proved itself, for the few messages of a rendezvous.
struct Met {
  Link& link;
  std::string name;
  const Deadline& deadline;

  void transfer(short direction, std::size_t size, const auto& some) const {
    try {
      for (std::size_t done = 0; done < size;) {
        const std::size_t count = some(done);
        done += count;
        if (count > 0) continue;
        if (deadline.passed()) throw Error(name + " said nothing in the rendezvous");
        pollfd ready{link.socket.get(), direction, 0};
        ::poll(&ready, 1, deadline.left_ms());
      }
    } catch (const ConnectionLost& lost) {
      throw Error(name + " gave up the rendezvous: " + lost.what());
    }
  }

  void write_bytes(std::span<const std::byte> bytes) const {
    transfer(POLLOUT, bytes.size(),
             [&](std::size_t done) { return write_some(link.socket.get(), bytes.subspan(done), {}); });
  }

  void read_bytes(std::span<std::byte> bytes) const {
    transfer(POLLIN, bytes.size(),
             [&](std::size_t done) { return read_some(link.socket.get(), bytes.subspan(done)); });
  }

  void write(std::span<const std::byte> message) const {
    write_bytes(message);
    if (link.tags) write_bytes(link.tags->sent.begin(message));
  }

  void read(std::span<std::byte> message) const {
    read_bytes(message);
    if (!link.tags) return;
    Tag tag{};
    read_bytes(tag);
    if (!same(tag, link.tags->received.begin(message)))
      throw Error(name + ": a message of the rendezvous was changed on the way");
  }
};

Introduction introduction(const Participant& mine, int from, int to) {
  return {mine.generation, static_cast<std::uint32_t>(mine.size), static_cast<std::uint32_t>(from),
          static_cast<std::uint32_t>(to), mine.messages};
}

Link connected(const Participant& mine, int peer, const Endpoint& endpoint, const Deadline& deadline) {
  const std::string where = mine.names.name(peer) + " at " + to_text(endpoint) + ": ";
  try {
    Handshake handshake = Handshake::of_connector(connect_to(endpoint, deadline),
                                                  introduction(mine, mine.rank, peer), mine.secret);
    while (!handshake.progress()) {
      if (deadline.passed()) throw Error("it does not answer");
      pollfd ready{handshake.connection().get(), POLLIN, 0};
      ::poll(&ready, 1, deadline.left_ms());
    }
    return handshake.take_link();
  } catch (const WrongSecret& error) {
    throw WrongSecret(where + error.what());
  } catch (const UnlikeMessages& error) {
    throw UnlikeMessages(where + error.what());
  } catch (const Error& error) {
    throw Error(where + error.what());
  } catch (const ConnectionLost& lost) {
    throw Error(where + lost.what());
  }
}

// The other side may be an earlier job's, which is about to end, or may not know yet that the world has
// changed, and refuse this rank.
Link connected_in_the_end(const Participant& mine, int peer, const Endpoint& endpoint,
                          const Deadline& deadline) {
  constexpr std::chrono::milliseconds pause{10};
  while (true) {
    try {
      return connected(mine, peer, endpoint, deadline);
    } catch (const WrongSecret&) {
      throw;
    } catch (const UnlikeMessages&) {
      throw;
    } catch (const Error&) {
      if (deadline.passed()) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

// Connects to the ranks below, and accepts those above, except where there is a connection already.
void meet_the_rest(const Participant& mine, const Descriptor& listener,
                   const std::vector<Endpoint>& endpoints, std::vector<Link>& connections,
                   const Deadline& deadline) {
  for (int peer = 0; peer < mine.rank; ++peer) {
    const auto index = static_cast<std::size_t>(peer);
    if (!connections[index])
      connections[index] = connected_in_the_end(mine, peer, endpoints[index], deadline);
  }
  Acceptor acceptor(listener, introduction(mine, 0, mine.rank), mine.secret, mine.names);
  const auto above = std::span(connections).subspan(static_cast<std::size_t>(mine.rank) + 1);
  for (auto missing = std::ranges::count_if(above, std::logical_not()); missing > 0; --missing)
    acceptor.accept(connections, mine.rank + 1, deadline);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

RankConnections gather_and_tell(Participant mine, const Deadline& deadline) {
  RankConnections meeting;
  meeting.connections.resize(static_cast<std::size_t>(mine.size));
  meeting.listener = mine.listener ? std::move(mine.listener) : listen_as_root(mine.root);
  meeting.endpoint = mine.root;
  Acceptor acceptor(meeting.listener, introduction(mine, 0, mine.rank), mine.secret, mine.names);
  std::vector<ListedEndpoint> all(meeting.connections.size());
  for (int count = 1; count < mine.size; ++count) acceptor.accept(meeting.connections, 0, deadline);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Link& connection = meeting.connections[rank];
    if (!connection) continue;
    ListedEndpoint theirs;
    Met{connection, mine.names.name(static_cast<int>(rank)), deadline}.read(
        std::as_writable_bytes(std::span(&theirs, 1)));
    const std::string address = peer_address(connection.socket);
    const bool by_name = is_loopback(address) && !is_loopback(mine.root.host);
    all[rank] = listed({by_name ? "" : address, endpoint_of(theirs).port});
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Link& connection = meeting.connections[rank];
    if (!connection) continue;
    Met{connection, mine.names.name(static_cast<int>(rank)), deadline}.write(std::as_bytes(std::span(all)));
  }
  return meeting;
}

std::vector<Endpoint> endpoints_of(const std::vector<ListedEndpoint>& all, const std::string& root) {
  std::vector<Endpoint> endpoints;
  for (const ListedEndpoint& one : all) {
    endpoints.push_back(endpoint_of(one));
    if (endpoints.back().host.empty()) endpoints.back().host = root;
  }
  return endpoints;
}

Descriptor listen_beside(const Descriptor& connection, const Endpoint& root) {
  const std::string own = own_address(connection);
  return listen_on({is_loopback(own) && !is_loopback(root.host) ? "" : own, 0});
}

RankConnections connect_and_learn(Participant mine, const Deadline& deadline) {
  RankConnections meeting;
  meeting.connections.resize(static_cast<std::size_t>(mine.size));
  const auto root_rank = static_cast<std::size_t>(mine.root_rank);
  meeting.connections[root_rank] = connected_in_the_end(mine, mine.root_rank, mine.root, deadline);
  const Met root{meeting.connections[root_rank], mine.names.name(mine.root_rank), deadline};
  meeting.listener = mine.listener ? std::move(mine.listener) : listen_beside(root.link.socket, mine.root);
  const ListedEndpoint own = listed({"", port_of(meeting.listener)});
  root.write(std::as_bytes(std::span(&own, 1)));
  std::vector<ListedEndpoint> all(meeting.connections.size());
  root.read(std::as_writable_bytes(std::span(all)));
  const std::vector<Endpoint> endpoints = endpoints_of(all, mine.root.host);
  meeting.endpoint = endpoints[static_cast<std::size_t>(mine.rank)];
  meet_the_rest(mine, meeting.listener, endpoints, meeting.connections, deadline);
  return meeting;
}

}  // namespace

Descriptor listen_as_root(const Endpoint& root) {
  try {
    return listen_on({is_loopback(root.host) ? root.host : "", root.port});
  } catch (const Error& error) {
    throw Error(to_text(root) + ": " + error.what());
  }
}

RankConnections meet(Participant participant, const Deadline& deadline) {
  for (const int rank : {participant.rank, participant.root_rank})
    if (rank < 0 || rank >= participant.size)
      throw Error("rank " + std::to_string(rank) + ": not in a world of " + std::to_string(participant.size) +
                  " ranks");
  if (participant.rank == participant.root_rank) return gather_and_tell(std::move(participant), deadline);
  return connect_and_learn(std::move(participant), deadline);
}

}  // namespace adasum::sockets
