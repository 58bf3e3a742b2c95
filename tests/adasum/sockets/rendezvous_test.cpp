// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/failure.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

/// Rank `rank` of 3; rank 0 with the listener.
Participant participant(int rank, std::uint16_t port, const Secret& secret, Descriptor listener = {}) {
  return {.rank = rank,
          .size = 3,
          .root = {"127.0.0.1", port},
          .secret = secret,
          .listener = std::move(listener)};
}

std::string meeting_failure(Participant participant, std::chrono::milliseconds timeout) {
  return failure([&] { meet(std::move(participant), Deadline(timeout)); });
}

TEST(Rendezvous, ConnectsEachRankWithEveryOtherAmongStrangers) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  const std::uint16_t port = port_of(listener);
  const Secret secret = random_secret();
  const Deadline soon(10s);
  const Descriptor silent = connect_to({"127.0.0.1", port}, soon);
  const Descriptor loud = connect_to({"127.0.0.1", port}, soon);
  constexpr std::string_view request =
      "GET / HTTP/1.1\r\nHost: somewhere.example.com\r\nAccept: everything there is\r\n\r\n";
  write_some(loud.get(), std::as_bytes(std::span(request)), {});
  auto stranger = std::async(std::launch::async,
                             [&] { return meeting_failure(participant(1, port, random_secret()), 10s); });
  EXPECT_THAT(stranger.wait_for(0s), std::future_status::timeout);
  std::vector<std::future<RankConnections>> ranks;
  ranks.push_back(std::async(std::launch::async, [&] {
    return meet(participant(0, port, secret, std::move(listener)), Deadline(10s));
  }));
  EXPECT_THAT(stranger.get(), testing::HasSubstr("the other side does not know the secret of this world"));
  for (const int rank : {1, 2})
    ranks.push_back(std::async(std::launch::async,
                               [&, rank] { return meet(participant(rank, port, secret), Deadline(10s)); }));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<Link> connections = ranks[rank].get().connections;
    for (std::size_t peer = 0; peer < connections.size(); ++peer)
      EXPECT_EQ(static_cast<bool>(connections[peer]), peer != rank);
  }
}

/// Three ranks that meet at `root_rank`, which is at `host`.
std::vector<RankConnections> meetings_at(int root_rank, const std::string& host) {
  const Secret secret = random_secret();
  Descriptor listener = listen_as_root({host, 0});
  const Endpoint root{host, port_of(listener)};
  std::vector<std::future<RankConnections>> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    Participant mine{
        .rank = rank, .size = 3, .root = root, .secret = secret, .listener = {}, .root_rank = root_rank};
    if (rank == root_rank) mine.listener = std::move(listener);
    ranks.push_back(std::async(std::launch::async, [mine = std::make_shared<Participant>(std::move(mine))] {
      return meet(std::move(*mine), Deadline(10s));
    }));
  }
  std::vector<RankConnections> meetings;
  for (auto& rank : ranks) meetings.push_back(rank.get());
  return meetings;
}

TEST(Rendezvous, AnyRankMayBeTheRoot) {
  for (const int root : {0, 1, 2}) {
    const std::vector<RankConnections> meetings = meetings_at(root, "127.0.0.1");
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(meetings[rank].endpoint, (Endpoint{"127.0.0.1", port_of(meetings[rank].listener)}));
      for (std::size_t peer = 0; peer < 3; ++peer)
        EXPECT_EQ(static_cast<bool>(meetings[rank].connections[peer]), peer != rank);
    }
  }
}

// Debian gives a machine's own name the address 127.0.1.1, on that machine alone. Here it is a number that is
// not seen to be of loopback before it is looked up.
TEST(Rendezvous, RanksThatReachTheRootByLoopbackAreFoundAtItsName) {
  const std::string name = std::to_string(0x7f000101);
  for (const RankConnections& meeting : meetings_at(0, name)) {
    EXPECT_EQ(meeting.endpoint, (Endpoint{name, port_of(meeting.listener)}));
    EXPECT_TRUE(connect_to({"127.0.0.1", port_of(meeting.listener)}, Deadline(5s)));
  }
}

TEST(Rendezvous, LetsARankInThoughMoreStrangersAreSilentThanItListensTo) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  const std::uint16_t port = port_of(listener);
  const Secret secret = random_secret();
  auto root = std::async(std::launch::async, [&] {
    Participant mine{
        .size = 2, .root = {"127.0.0.1", port}, .secret = secret, .listener = std::move(listener)};
    return meet(std::move(mine), Deadline(20s));
  });
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 300; ++i) strangers.push_back(connect_to({"127.0.0.1", port}, Deadline(10s)));
  const Deadline before_strangers_are_given_up(4s);
  meet({.rank = 1, .size = 2, .root = {"127.0.0.1", port}, .secret = secret, .listener = {}},
       before_strangers_are_given_up);
  root.get();
}

TEST(Rendezvous, FindsRankZeroByAnyAddressOfItsMachine) {
  Descriptor listener = listen_as_root({"a-name-that-is-not-looked-up.invalid", 0});
  const std::uint16_t port = port_of(listener);
  EXPECT_TRUE(connect_to({"127.0.0.1", port}, Deadline(5s)));
  EXPECT_TRUE(connect_to({"127.0.1.1", port}, Deadline(5s)));
  const auto connection = [&] {
    auto accepted = accept_from(listener);
    return accepted ? peer_address(*accepted) : "";
  };
  EXPECT_EQ(connection(), "127.0.0.1") << "not as an address of version 6";
}

TEST(Rendezvous, KeepsALoopbackAddressToItself) {
  const Descriptor listener = listen_as_root({"127.0.0.1", 0});
  EXPECT_THROW(connect_to({"127.0.1.1", port_of(listener)}, Deadline(20ms)), Error);
}

TEST(Rendezvous, NamesTheRanksThatDoNotCome) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  EXPECT_EQ(meeting_failure(participant(0, 0, random_secret(), std::move(listener)), 20ms),
            "rank 0 waited in vain for ranks 1, 2 to connect");
}

TEST(Rendezvous, CallsRanksAsTheJobDoes) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  const std::uint16_t port = port_of(listener);
  Participant root = participant(0, port, random_secret(), std::move(listener));
  root.names = RankNames({1, 4, 7});
  EXPECT_EQ(meeting_failure(std::move(root), 20ms), "rank 1 waited in vain for ranks 4, 7 to connect");
  Participant other = participant(2, port, random_secret());
  other.names = RankNames({1, 4, 7});
  EXPECT_THAT(meeting_failure(std::move(other), 20ms), testing::StartsWith("rank 1 at 127.0.0.1:"));
}

TEST(Rendezvous, SaysThatNobodyListens) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  const std::uint16_t port = port_of(listener);
  listener.reset();
  EXPECT_EQ(meeting_failure(participant(1, port, random_secret()), 20ms),
            "rank 0 at 127.0.0.1:" + std::to_string(port) + ": cannot connect: Connection refused");
}

}  // namespace
}  // namespace adasum::sockets
