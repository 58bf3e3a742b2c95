// SPDX-License-Identifier: Apache-2.0
// Tags of messages, and what becomes of a world whose messages somebody between two ranks changes.
#include "adasum/sockets/link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <future>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adasum/sockets/socket_communicator.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/sockets/links.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// The tags of a message that comes in some pieces.
std::pair<Tag, Tag> tags_of(MessageTags& tags, std::string_view header,
                            const std::vector<std::string_view>& pieces) {
  const Tag of_header = tags.begin(bytes_of(header));
  for (const std::string_view piece : pieces) tags.add(bytes_of(piece));
  return {of_header, tags.end()};
}

TEST(MessageTags, AreTheSameOnBothSidesHoweverAMessageIsSplit) {
  const Secret key = random_secret();
  MessageTags one(key);
  MessageTags other(key);
  for (int message = 0; message < 3; ++message)
    EXPECT_EQ(tags_of(one, "header", {"some bytes"}), tags_of(other, "header", {"s", "ome ", "bytes", ""}));
}

TEST(MessageTags, DifferWhateverIsChanged) {
  const Secret key = random_secret();
  MessageTags tags(key);
  const auto [of_header, of_bytes] = tags_of(tags, "header", {"some bytes"});
  const auto [of_next_header, of_next_bytes] = tags_of(tags, "header", {"some bytes"});
  EXPECT_FALSE(same(of_header, of_next_header) || same(of_bytes, of_next_bytes)) << "of the next message";
  EXPECT_FALSE(same(of_header, of_bytes));
  MessageTags of_others(random_secret());
  EXPECT_NE(tags_of(of_others, "header", {"some bytes"}).second, of_bytes) << "of another key";
  for (std::string_view changed : {"Some bytes", "some byte", "some bytes ", ""}) {
    MessageTags again(key);
    EXPECT_NE(tags_of(again, "header", {changed}).second, of_bytes) << changed;
  }
}

/// Two ranks, and somebody between them who changes one bit of what rank 1 sends.
struct Tampered {
  /// `at`: of the byte, from the beginning of the connection.
  Tampered(std::size_t at, Messages messages) {
    Descriptor listener = listen_on({"127.0.0.1", 0});
    const Descriptor between = listen_on({"127.0.0.1", 0});
    const SocketWorld world{.size = 2,
                            .root = {"127.0.0.1", port_of(listener)},
                            .secret = random_secret(),
                            .node = {},
                            .connect_timeout = 10s,
                            .mesh = {.deadline = 10s},
                            .messages = messages};
    auto first = std::async(std::launch::async, [&] { run(0, world, std::move(listener)); });
    SocketWorld of_second = world;
    of_second.root.port = port_of(between);
    auto second = std::async(std::launch::async, [&] { run(1, of_second, {}); });
    pollfd connects{between.get(), POLLIN, 0};
    ::poll(&connects, 1, 10'000);
    Descriptor one = std::move(*accept_from(between));
    Descriptor other = connect_to(world.root, Deadline(10s));
    for (const Descriptor* each : {&one, &other})
      ::fcntl(each->get(), F_SETFL, ::fcntl(each->get(), F_GETFL) & ~O_NONBLOCK);
    const FaultyLink link(std::move(one), std::move(other), Fault::change, at, 1);
    first.get();
    second.get();
  }

  void run(int rank, SocketWorld world, Descriptor listener) {
    try {
      world.rank = rank;
      world.node = std::to_string(rank);
      const auto communicator = socket_communicator(world, std::move(listener));
      std::array<std::byte, 1000> bytes{};
      communicator->exchange(1 - rank, std::array<std::byte, 1000>{}, bytes);
      is_zero.at(static_cast<std::size_t>(rank)) = bytes == std::array<std::byte, 1000>{};
    } catch (const Error& error) {
      errors.at(static_cast<std::size_t>(rank)) = error.what();
    }
  }

  std::array<std::string, 2> errors;
  std::array<bool, 2> is_zero{};  // what a rank got
};

constexpr std::size_t handshake_bytes = 64 + 32;   // of rank 1
constexpr std::size_t rendezvous_bytes = 48 + 16;  // with its tag

TEST(Link, EndsWithALineThatNamesTheRankWhoseMessageWasChanged) {
  constexpr std::size_t first = handshake_bytes + rendezvous_bytes;
  constexpr std::size_t body = first + 16 + 16;
  for (const std::size_t at : {first, first + 4, first + 8, first + 15, first + 16, first + 31, body,
                               body + 500, body + 999, body + 1000, body + 1015}) {
    const Tampered world(at, Messages::authenticated);
    EXPECT_EQ(world.errors[0], "rank 1 is lost: a message of it was changed on the way") << at;
    EXPECT_FALSE(world.is_zero[0]) << at << ": it has taken the message";
  }
}

TEST(Link, EndsARendezvousWhoseMessageWasChanged) {
  for (const std::size_t at :
       {handshake_bytes, handshake_bytes + 47, handshake_bytes + 48, handshake_bytes + 63})
    EXPECT_EQ(Tampered(at, Messages::authenticated).errors[0],
              "rank 1: a message of the rendezvous was changed on the way");
}

// As docs/security.md says.
TEST(Link, CarriesWhatWasChangedIfMessagesArePlain) {
  const Tampered world(handshake_bytes + 48 + 16 + 500, Messages::plain);
  EXPECT_EQ(world.errors, (std::array<std::string, 2>()));
  EXPECT_EQ(world.is_zero, (std::array{false, true}));
}

TEST(Link, IsNotMadeBetweenRanksOfWhichOneAloneAuthenticatesMessages) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  SocketWorld world{.size = 2,
                    .root = {"127.0.0.1", port_of(listener)},
                    .secret = random_secret(),
                    .node = {},
                    .connect_timeout = 10s,
                    .mesh = {}};
  const std::string port = std::to_string(world.root.port);
  const auto error_of = [](const SocketWorld& mine, Descriptor own) {
    return failure([&] { socket_communicator(mine, std::move(own)); });
  };
  SocketWorld second = world;
  second.rank = 1;
  second.messages = Messages::plain;
  auto of_second = std::async(std::launch::async, [&] { return error_of(second, {}); });
  const std::string why =
      ": one rank authenticates its messages and the other does not: ADASUM_PLAIN must be the same on all "
      "ranks";
  EXPECT_EQ(error_of(world, std::move(listener)), "rank 1" + why);
  EXPECT_EQ(of_second.get(), "rank 0 at 127.0.0.1:" + port + why);
}

}  // namespace
}  // namespace adasum::sockets
