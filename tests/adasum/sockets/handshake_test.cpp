// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/handshake.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/sockets/links.h"

namespace adasum::sockets {
namespace {

constexpr Introduction from_two_to_one{.generation = 5, .world_size = 4, .from = 2, .to = 1};

struct Outcome {
  bool complete = false;
  std::string error;
};

Outcome outcome_of(Handshake& handshake) {
  try {
    return {handshake.progress(), ""};
  } catch (const Error& error) {
    return {false, error.what()};
  }
}

// What the two sides say in the end; each does as much as it can, in turn.
std::pair<Outcome, Outcome> shake(const Introduction& mine, const Introduction& expected,
                                  const Secret& mine_knows, const Secret& other_knows) {
  auto [left, right] = socket_pair(SOCK_NONBLOCK);
  std::optional<Handshake> connector(Handshake::of_connector(std::move(left), mine, mine_knows));
  Handshake acceptor = Handshake::of_acceptor(std::move(right), expected, other_knows);
  Outcome of_acceptor = outcome_of(acceptor);
  Outcome of_connector = of_acceptor.error.empty() ? outcome_of(*connector) : Outcome();
  EXPECT_FALSE(of_connector.complete) << "the acceptor has not taken its proof";
  if (!of_connector.error.empty()) connector.reset();
  if (of_acceptor.error.empty()) of_acceptor = outcome_of(acceptor);
  if (of_acceptor.complete) of_connector = outcome_of(*connector);
  return {of_connector, of_acceptor};
}

TEST(Handshake, ConnectsTwoRanksThatKnowTheSecret) {
  const Secret secret = random_secret();
  const auto [connector, acceptor] = shake(from_two_to_one, {5, 4, 0, 1}, secret, secret);
  EXPECT_TRUE(connector.complete && acceptor.complete) << connector.error << acceptor.error;
}

TEST(Handshake, RefusesARankOfAnotherWorld) {
  const Secret secret = random_secret();
  constexpr const char* refusal = "the other side is a rank of another world";
  EXPECT_EQ(shake(from_two_to_one, {6, 4, 0, 1}, secret, secret).second.error, refusal) << "generation";
  EXPECT_EQ(shake(from_two_to_one, {5, 8, 0, 1}, secret, secret).second.error, refusal) << "size";
  EXPECT_EQ(shake(from_two_to_one, {5, 4, 0, 3}, secret, secret).second.error, refusal) << "rank";
  EXPECT_EQ(shake({5, 4, 4, 1}, {5, 4, 0, 1}, secret, secret).second.error, refusal) << "a rank that is none";
  EXPECT_EQ(shake({5, 4, 1, 1}, {5, 4, 0, 1}, secret, secret).second.error, refusal) << "itself";
}

TEST(Handshake, RefusesARankThatAuthenticatesMessagesOnOneSideAlone) {
  const Secret secret = random_secret();
  for (const Messages mine : {Messages::authenticated, Messages::plain}) {
    const Messages other = mine == Messages::plain ? Messages::authenticated : Messages::plain;
    const auto [connector, acceptor] = shake({5, 4, 2, 1, mine}, {5, 4, 0, 1, other}, secret, secret);
    for (const Outcome& side : {connector, acceptor})
      EXPECT_EQ(
          side.error,
          "one rank authenticates its messages and the other does not: ADASUM_PLAIN must be the same on "
          "all ranks");
  }
  EXPECT_TRUE(
      shake({5, 4, 2, 1, Messages::plain}, {5, 4, 0, 1, Messages::plain}, secret, secret).first.complete);
}

// Whoever is between them could otherwise have one take plain messages.
TEST(Handshake, FindsAnIntroductionThatWasChangedOnTheWay) {
  const Secret secret = random_secret();
  auto [left, proxy_left] = socket_pair(SOCK_NONBLOCK);
  auto [right, proxy_right] = socket_pair(SOCK_NONBLOCK);
  Handshake connector = Handshake::of_connector(std::move(left), from_two_to_one, secret);
  std::array<std::byte, 64> message{};
  ASSERT_EQ(read_some(proxy_left.get(), message), message.size());
  message[8 + 20] = std::byte{1};  // plain
  ASSERT_EQ(write_some(proxy_right.get(), message, {}), message.size());
  Handshake acceptor = Handshake::of_acceptor(std::move(right), {5, 4, 0, 1}, secret);
  EXPECT_FALSE(acceptor.progress());
  ASSERT_EQ(read_some(proxy_right.get(), message), message.size());
  ASSERT_EQ(write_some(proxy_left.get(), message, {}), message.size());
  EXPECT_FALSE(connector.progress());
  ASSERT_EQ(read_some(proxy_left.get(), std::span(message).first(32)), 32U);
  ASSERT_EQ(write_some(proxy_right.get(), std::span(message).first(32), {}), 32U);
  EXPECT_EQ(outcome_of(acceptor).error, "the other side does not know the secret of this world");
}

TEST(Handshake, FindsThatTheOtherDoesNotKnowTheSecret) {
  const auto [connector, acceptor] = shake(from_two_to_one, {5, 4, 0, 1}, random_secret(), random_secret());
  EXPECT_EQ(connector.error, "the other side does not know the secret of this world");
  EXPECT_EQ(acceptor.error,
            "the other side hung up before both had proved that they are ranks of this world");
}

TEST(Handshake, TellsAConnectorThatItHasGivenWay) {
  const Secret secret = random_secret();
  auto [left, right] = socket_pair(SOCK_NONBLOCK);
  Handshake connector = Handshake::of_connector(std::move(left), from_two_to_one, secret);
  std::optional<Handshake> acceptor(Handshake::of_acceptor(std::move(right), {5, 4, 0, 1}, secret));
  EXPECT_FALSE(acceptor->progress());
  EXPECT_FALSE(connector.progress());
  acceptor.reset();
  EXPECT_EQ(outcome_of(connector).error,
            "the other side hung up before both had proved that they are ranks of this world");
}

TEST(Handshake, RefusesAStranger) {
  auto [left, right] = socket_pair(SOCK_NONBLOCK);
  constexpr std::string_view request =
      "GET / HTTP/1.1\r\nHost: node1.example.com\r\nUser-Agent: somebody\r\n\r\n";
  ASSERT_EQ(write_some(left.get(), std::as_bytes(std::span(request)), {}), request.size());
  Handshake acceptor = Handshake::of_acceptor(std::move(right), {5, 4, 0, 1}, random_secret());
  EXPECT_EQ(outcome_of(acceptor).error, "the other side is no rank of AdaSum");
}

TEST(Handshake, RefusesWhatWasSaidInAnotherSession) {
  const Secret secret = random_secret();
  auto [left, right] = socket_pair(SOCK_NONBLOCK);
  Handshake connector = Handshake::of_connector(std::move(left), from_two_to_one, secret);
  std::array<std::byte, 64> first{};
  ASSERT_EQ(read_some(right.get(), first), first.size());
  auto [again, acceptors_end] = socket_pair(SOCK_NONBLOCK);
  ASSERT_EQ(write_some(again.get(), first, {}), first.size());
  Handshake acceptor = Handshake::of_acceptor(std::move(acceptors_end), {5, 4, 0, 1}, secret);
  EXPECT_FALSE(acceptor.progress());
  std::array<std::byte, 64> answer{};
  ASSERT_EQ(read_some(again.get(), answer), answer.size());
  const Proof guess{};
  ASSERT_EQ(write_some(again.get(), guess, {}), guess.size());
  EXPECT_EQ(outcome_of(acceptor).error, "the other side does not know the secret of this world");
}

}  // namespace
}  // namespace adasum::sockets
