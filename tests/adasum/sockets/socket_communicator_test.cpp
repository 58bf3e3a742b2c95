// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/socket_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adasum/engine.h"
#include "adasum/shared_memory/node.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/world_checks.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

/// Runs `body` once per rank, each in a thread of its own, with its communicator of a world that is connected
/// by TCP over loopback; `ranks_per_node` ranks each say that they share a machine (0: all). Throws what the
/// first body that failed threw.
void run_socket_ranks(int size, const std::function<void(Communicator&)>& body, int ranks_per_node = 0,
                      const MeshOptions& options = {}) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  SocketWorld world{.size = size,
                    .root = {"127.0.0.1", port_of(listener)},
                    .secret = random_secret(),
                    .node = {},
                    .mesh = options};
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](SocketWorld mine, Descriptor own) {
    try {
      const auto communicator = socket_communicator(mine, std::move(own));
      body(*communicator);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (world.rank = 0; world.rank < size; ++world.rank) {
    world.node = std::to_string(ranks_per_node == 0 ? 0 : world.rank / ranks_per_node);
    threads.emplace_back(run, world, world.rank == 0 ? std::move(listener) : Descriptor());
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

std::string failure_of(const std::function<void(Communicator&)>& body, const MeshOptions& options = {}) {
  return failure([&] { run_socket_ranks(2, body, 0, options); });
}

TEST(SocketCommunicator, KeepsTheContract) {
  for (const int size : {1, 2, 3, 4, 7, 8, 16}) run_socket_ranks(size, checks::communicator_contract);
}

TEST(SocketCommunicator, RefusesAMessageOfAnotherLength) {
  EXPECT_EQ(failure_of([](Communicator& communicator) {
              std::vector<std::byte> data(communicator.rank() == 0 ? 3 : 2);
              if (communicator.rank() == 0) communicator.send(1, data);
              if (communicator.rank() == 1) communicator.receive(0, data);
            }),
            "rank 1 waiting for rank 0: got 3 bytes, wanted 2");
}

TEST(SocketCommunicator, GivesUpAtTheDeadline) {
  EXPECT_THAT(failure_of(
                  [](Communicator& communicator) {
                    std::vector<std::byte> data(1);
                    communicator.receive(1 - communicator.rank(), data);
                  },
                  {.deadline = 20ms}),
              testing::MatchesRegex("rank . waiting for rank .: no byte moved in 20 ms|"
                                    "rank . gave up: it waited for rank ."));
}

TEST(SocketCommunicator, NamesARankThatLeft) {
  EXPECT_EQ(failure_of([](Communicator& communicator) {
              std::vector<std::byte> data(1);
              if (communicator.rank() == 1) communicator.receive(0, data);
            }),
            "rank 1 waiting for rank 0: it has left");
}

TEST(SocketCommunicator, ReceivesWhatARankSentBeforeItLeft) {
  EXPECT_EQ(failure_of([](Communicator& communicator) {
              std::vector<std::byte> data(100'000);
              if (communicator.rank() == 0) communicator.send(1, data);
              if (communicator.rank() == 1) communicator.receive(0, data);
            }),
            "none");
}

// Two nodes of two ranks. Rank 1 gives up when all are connected; all stay until the others have heard of it.
TEST(SocketWorld, HearsOfARankThatGaveUp) {
  std::counting_semaphore<8> connected(0);
  std::counting_semaphore<8> told(0);
  std::promise<void> all_told;
  const std::shared_future<void> end = all_told.get_future();
  const auto await_three = [](std::counting_semaphore<8>& others) {
    for (int other = 0; other < 3; ++other) ASSERT_TRUE(others.try_acquire_for(20s));
  };
  const auto body = [&](Communicator& world) {
    Engine engine(world);
    ASSERT_TRUE(engine.shares_memory());
    if (world.rank() == 1) {
      await_three(connected);
      engine.give_up();
      await_three(told);
      return all_told.set_value();
    }
    connected.release();
    std::byte byte{};
    const std::string why = failure<PeerLost>([&] {
      if (world.rank() == 0) engine.topology().node()->shared_reduce().barrier();
      if (world.rank() != 0) world.receive(0, std::span(&byte, 1));
    });
    EXPECT_THAT(why, testing::MatchesRegex(world.rank() == 0
                                               ? "rank 1 gave up while the others wait for it"
                                               : "rank 1 gave up|rank . gave up: it waited for rank 1"));
    told.release();
    EXPECT_EQ(end.wait_for(20s), std::future_status::ready);
  };
  run_socket_ranks(4, body, 2, {.deadline = 20s});
}

TEST(SocketWorld, GivesTheGoldenValues) {
  for (const int size : {1, 2, 4, 8, 16}) run_socket_ranks(size, checks::golden_values);
}

TEST(SocketWorld, HasTheBitsOfThreads) {
  for (int size = 1; size <= 16; ++size)
    run_socket_ranks(size, [](Communicator& communicator) { checks::same_bits_as_threads(communicator); });
  for (const int ranks_per_node : {1, 2, 4})
    run_socket_ranks(
        8, [&](Communicator& communicator) { checks::same_bits_as_threads(communicator, ranks_per_node); },
        ranks_per_node);
}

TEST(SocketWorld, AgreesWithTheSlowTreeOnOneMachineAndOnSeveral) {
  for (const int ranks_per_node : {0, 1, 2})
    run_socket_ranks(
        4, [](Communicator& communicator) { checks::slow_tree(communicator, 67); }, ranks_per_node);
}

TEST(SocketWorld, FindsTheRankThatIsNotFinite) {
  run_socket_ranks(4, checks::not_finite, 2);
}

}  // namespace
}  // namespace adasum::sockets
