// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

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

std::string failure(Participant participant, std::chrono::milliseconds timeout) {
  try {
    meet(std::move(participant), Deadline(timeout));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
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
  auto stranger =
      std::async(std::launch::async, [&] { return failure(participant(1, port, random_secret()), 10s); });
  EXPECT_THAT(stranger.wait_for(0s), std::future_status::timeout);
  std::vector<std::future<Meeting>> ranks;
  ranks.push_back(std::async(std::launch::async, [&] {
    return meet(participant(0, port, secret, std::move(listener)), Deadline(10s));
  }));
  EXPECT_THAT(stranger.get(), testing::HasSubstr("the other side does not know the secret of this world"));
  for (const int rank : {1, 2})
    ranks.push_back(std::async(std::launch::async,
                               [&, rank] { return meet(participant(rank, port, secret), Deadline(10s)); }));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<Descriptor> connections = ranks[rank].get().connections;
    for (std::size_t peer = 0; peer < connections.size(); ++peer)
      EXPECT_EQ(static_cast<bool>(connections[peer]), peer != rank);
  }
}

TEST(Rendezvous, ConnectsRanksThatKnowWhereTheOthersListenThoughOneRefusesThemAtFirst) {
  const Secret secret = random_secret();
  std::vector<Descriptor> listeners;
  std::vector<Endpoint> endpoints;
  for (int rank = 0; rank < 3; ++rank) {
    listeners.push_back(listen_on({"127.0.0.1", 0}));
    endpoints.push_back({"127.0.0.1", port_of(listeners.back())});
  }
  const auto meet_as = [&](int rank, std::uint64_t generation, std::chrono::milliseconds timeout) {
    Participant mine = participant(rank, 0, secret);
    mine.generation = generation;
    return meet_again(mine, listeners[static_cast<std::size_t>(rank)], endpoints, Deadline(timeout));
  };
  std::vector<std::future<std::vector<Descriptor>>> others;
  for (const int rank : {1, 2})
    others.push_back(std::async(std::launch::async, [&, rank] { return meet_as(rank, 5, 10s); }));
  EXPECT_THROW(meet_as(0, 4, 50ms), Error);
  std::vector<std::vector<Descriptor>> connections;
  connections.push_back(meet_as(0, 5, 10s));
  for (auto& other : others) connections.push_back(other.get());
  for (std::size_t rank = 0; rank < 3; ++rank)
    for (std::size_t peer = 0; peer < 3; ++peer)
      EXPECT_EQ(static_cast<bool>(connections[rank][peer]), peer != rank);
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
  EXPECT_EQ(failure(participant(0, 0, random_secret(), std::move(listener)), 20ms),
            "rank 0 waited in vain for ranks 1, 2 to connect");
}

TEST(Rendezvous, SaysThatNobodyListens) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  const std::uint16_t port = port_of(listener);
  listener.reset();
  EXPECT_EQ(failure(participant(1, port, random_secret()), 20ms),
            "rank 0 at 127.0.0.1:" + std::to_string(port) + ": cannot connect: Connection refused");
}

}  // namespace
}  // namespace adasum::sockets
