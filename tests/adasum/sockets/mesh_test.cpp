// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/mesh.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "adasum/communicators/fiber.h"
#include "adasum/sockets/tcp.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/sockets/links.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

/// Ranks 0 and 1, both in this thread: a wait of one must not need the other.
struct TwoRanks {
  explicit TwoRanks(const MeshOptions& options = {}) {
    auto [one, other] = socket_pair(SOCK_NONBLOCK);
    std::array<std::vector<Link>, 2> connections = {std::vector<Link>(2), std::vector<Link>(2)};
    std::tie(connections[0][1], connections[1][0]) = linked(std::move(one), std::move(other));
    first = std::make_unique<Mesh>(0, std::move(connections[0]), options);
    second = std::make_unique<Mesh>(1, std::move(connections[1]), options);
  }

  std::unique_ptr<Mesh> first;
  std::unique_ptr<Mesh> second;
};

void send(Mesh& from, std::uint32_t world, const std::string& text) {
  const std::array<Mesh::Outgoing, 1> message = {{{1 - from.rank(), std::as_bytes(std::span(text))}}};
  from.transfer(world, message, {});
}

std::string receive(Mesh& at, std::uint32_t world, std::size_t size) {
  std::string text(size, ' ');
  const std::array<Mesh::Incoming, 1> message = {{{1 - at.rank(), std::as_writable_bytes(std::span(text))}}};
  at.transfer(world, {}, message);
  return text;
}

TEST(Mesh, KeepsMessagesOfEachWorldInOrderUntilTheyAreAskedFor) {
  TwoRanks ranks;
  send(*ranks.first, 1, "one");
  send(*ranks.first, 2, "another world's");
  send(*ranks.first, 1, "two");
  send(*ranks.first, 1, "");
  EXPECT_EQ(receive(*ranks.second, 2, 15), "another world's");
  EXPECT_EQ(receive(*ranks.second, 1, 3), "one");
  EXPECT_EQ(receive(*ranks.second, 1, 3), "two");
  EXPECT_EQ(receive(*ranks.second, 1, 0), "");
}

TEST(Mesh, SendsMoreThanTheSystemTakesWhileTheOtherReads) {
  TwoRanks ranks;
  const std::string large(20'000'000, 'x');
  std::thread sender([&] { send(*ranks.first, 1, large); });
  EXPECT_TRUE(receive(*ranks.second, 1, large.size()) == large);
  sender.join();
}

TEST(Mesh, ContinuesWithAMessageThatWasHalfReadBeforeItWasAskedFor) {
  TwoRanks ranks;
  const std::string large(5'000'000, 'y');
  std::thread sender([&] {
    send(*ranks.first, 1, large);
    send(*ranks.first, 2, "after it");
  });
  EXPECT_EQ(receive(*ranks.second, 2, 8), "after it");
  EXPECT_TRUE(receive(*ranks.second, 1, large.size()) == large);
  sender.join();
}

TEST(Mesh, LeavesMoreThanItMayKeepWithTheSenderUntilItIsAskedFor) {
  TwoRanks ranks({.deadline = 20ms, .most_kept = 2000});
  const std::string large(20'000, 'b');
  send(*ranks.first, 1, std::string(900, 'a'));
  send(*ranks.first, 1, large);
  send(*ranks.first, 1, std::string(900, 'c'));
  EXPECT_EQ(receive(*ranks.second, 1, 900), std::string(900, 'a'));
  EXPECT_EQ(receive(*ranks.second, 1, large.size()), large);
  EXPECT_EQ(receive(*ranks.second, 1, 900), std::string(900, 'c'));
}

TEST(Mesh, WaitsInVainForWhatIsBehindAMessageThatItMayNotKeep) {
  TwoRanks ranks({.deadline = 20ms, .most_kept = 2000});
  send(*ranks.first, 1, std::string(20'000, 'a'));
  send(*ranks.first, 2, "b");
  EXPECT_EQ(failure([&] { receive(*ranks.second, 2, 1); }),
            "rank 1 waiting for rank 0: no byte moved in 20 ms");
}

TEST(Mesh, NoticesTheEndOfARankFromWhichItHoldsAMessageBack) {
  TwoRanks ranks({.most_kept = 2000});
  send(*ranks.first, 1, std::string(20'000, 'a'));
  Mesh& mesh = *ranks.second;
  Fiber fiber;
  fiber.start([&] { receive(mesh, 2, 1); });
  fiber.resume();
  ranks.first.reset();
  EXPECT_EQ(failure([&] { fiber.finish(); }), "rank 0 is lost: its end of the connection is closed");
}

TEST(Mesh, EndsAWaitThatIsEndedFromOutside) {
  auto [read_end, write_end] = pipe_ends();
  TwoRanks ranks({.abort_descriptor = read_end.get()});
  std::thread other([&end = write_end] { end.reset(); });
  EXPECT_EQ(failure([&] { receive(*ranks.second, 1, 1); }), "rank 1: the wait was ended from outside");
  other.join();
}

TEST(Mesh, TellsALossFromALeave) {
  TwoRanks left;
  left.first.reset();
  EXPECT_EQ(failure([&] { receive(*left.second, 1, 1); }), "rank 1 waiting for rank 0: it has left");

  auto [mine, other] = socket_pair(SOCK_NONBLOCK);
  std::vector<Link> connections(2);
  connections[0].socket = std::move(mine);
  Mesh mesh(1, std::move(connections), {});
  other.reset();
  EXPECT_EQ(failure([&] { receive(mesh, 1, 1); }), "rank 0 is lost: its end of the connection is closed");
  EXPECT_EQ(failure([&] { send(mesh, 1, "x"); }), "rank 0 is lost: its end of the connection is closed")
      << "from now on";
}

// Rank 0 gives up with half a message on its way, and cannot say for whom.
TEST(Mesh, NamesARankThatEndedBetweenMessagesBeforeOneThatEndedInAMessage) {
  std::array<Descriptor, 2> ends;
  std::vector<Link> connections(3);
  std::tie(connections[0].socket, ends[0]) = socket_pair(SOCK_NONBLOCK);
  std::tie(connections[2].socket, ends[1]) = socket_pair(SOCK_NONBLOCK);
  Mesh mesh(1, std::move(connections), {});
  ASSERT_EQ(::write(ends[0].get(), "half", 4), 4);
  for (Descriptor& end : ends) end.reset();
  EXPECT_EQ(failure([&] { receive(mesh, 1, 1); }), "rank 2 is lost: its end of the connection is closed");
}

TEST(Mesh, SuspendsAFiberInsteadOfWaiting) {
  TwoRanks ranks;
  std::string got;
  Fiber fiber;
  fiber.start([&] { got = receive(*ranks.second, 1, 5); });
  fiber.resume();
  EXPECT_FALSE(fiber.ended());
  send(*ranks.first, 1, "hello");
  fiber.resume();
  EXPECT_TRUE(fiber.ended());
  EXPECT_EQ(got, "hello");
}

TEST(Mesh, GivesUpAllWhenAWaitFails) {
  TwoRanks ranks({.deadline = 1ms});
  const std::string why = "rank 1 waiting for rank 0: no byte moved in 1 ms";
  EXPECT_EQ(failure([&] { receive(*ranks.second, 1, 5); }), why);
  EXPECT_EQ(failure([&] { send(*ranks.second, 1, "hello"); }), why)
      << "a later wait could take the earlier one's message";
  EXPECT_EQ(failure([&] { receive(*ranks.first, 2, 5); }), "rank 1 gave up: it waited for rank 0");
}

TEST(Mesh, SaysThatAnotherRankGaveUpWhereItSendsToThatRank) {
  TwoRanks ranks({.deadline = 1ms});
  EXPECT_NE(failure([&] { receive(*ranks.second, 1, 5); }), "");
  EXPECT_EQ(failure([&] { send(*ranks.first, 1, "hello"); }), "rank 1 gave up: it waited for rank 0");
}

TEST(Mesh, GivesUpAllWhenAFiberIsDestroyedInAWait) {
  TwoRanks ranks;
  {
    Fiber fiber;
    fiber.start([&] { receive(*ranks.second, 1, 5); });
    fiber.resume();
  }
  EXPECT_EQ(failure([&] { receive(*ranks.second, 1, 5); }), "an earlier wait for these ranks was given up");
  EXPECT_EQ(failure([&] { receive(*ranks.first, 1, 5); }), "rank 1 gave up");
}

TEST(Mesh, KeepsItsConnectionsOutOfForkedProcesses) {
  TwoRanks ranks;
  auto [mine, of_child] = socket_pair();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  char byte = 0;
  if (child == 0) {
    ranks.first.reset();  // says that it leaves, but not over the connection of its parent
    const bool told = ::write(of_child.get(), &byte, 1) == 1;
    ::close(mine.get());
    ::_exit(told && ::read(of_child.get(), &byte, 1) == 0 ? 0 : 1);  // when the parent closes its end
  }
  of_child.reset();
  ASSERT_EQ(::read(mine.get(), &byte, 1), 1);
  send(*ranks.first, 1, "hello");
  EXPECT_EQ(receive(*ranks.second, 1, 5), "hello");
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(Mesh, WaitsForARankThatIsSlowThoughItsBuffersAreFull) {
  const Descriptor listener = listen_on({"127.0.0.1", 0});
  std::array<std::vector<Link>, 2> connections = {std::vector<Link>(2), std::vector<Link>(2)};
  Descriptor one = connect_to({"127.0.0.1", port_of(listener)}, Deadline(5s));
  std::tie(connections[1][0], connections[0][1]) = linked(std::move(one), std::move(*accept_from(listener)));
  // Linux answers probes of a full buffer twice a second at most (tcp_invalid_ratelimit), and each comes
  // after twice the time of the one before: one that is not answered is followed by one that is within 1.5 s.
  const MeshOptions options{.silence = 1600ms};
  Mesh first(0, std::move(connections[0]), options);
  Mesh second(1, std::move(connections[1]), options);
  const std::string large(50'000'000, 'x');
  auto sent = std::async(std::launch::async, [&] { send(first, 1, large); });
  EXPECT_EQ(sent.wait_for(options.silence * 3 / 2), std::future_status::timeout)
      << "nothing is read for so long";
  EXPECT_TRUE(receive(second, 1, large.size()) == large);
  sent.get();
}

TEST(Mesh, RefusesToSendToItself) {
  TwoRanks ranks;
  const std::array<Mesh::Outgoing, 1> message = {{{0, {}}}};
  EXPECT_EQ(failure([&] { ranks.first->transfer(1, message, {}); }),
            "rank 0: not another rank of a world of 2 ranks");
  send(*ranks.first, 1, "hello");
  EXPECT_EQ(receive(*ranks.second, 1, 5), "hello") << "nothing has been given up";
}

}  // namespace
}  // namespace adasum::sockets
