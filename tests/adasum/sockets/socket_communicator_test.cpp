// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/socket_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <future>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

#include "adasum/engine.h"
#include "adasum/shared_memory/node.h"
#include "adasum/types/error.h"
#include "tests/adasum/request_checks.h"
#include "tests/adasum/sockets/run_socket_ranks.h"
#include "tests/adasum/world_checks.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

std::string failure(const std::function<void(Communicator&)>& body, const MeshOptions& options = {}) {
  try {
    run_socket_ranks(2, body, 0, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(SocketCommunicator, KeepsTheContract) {
  for (const int size : {1, 2, 3, 4, 7, 8, 16}) run_socket_ranks(size, checks::communicator_contract);
}

TEST(SocketCommunicator, RefusesAMessageOfAnotherLength) {
  EXPECT_EQ(failure([](Communicator& communicator) {
              std::vector<std::byte> data(communicator.rank() == 0 ? 3 : 2);
              if (communicator.rank() == 0) communicator.send(1, data);
              if (communicator.rank() == 1) communicator.receive(0, data);
            }),
            "rank 1 waiting for rank 0: got 3 bytes, wanted 2");
}

TEST(SocketCommunicator, GivesUpAtTheDeadline) {
  EXPECT_THAT(failure(
                  [](Communicator& communicator) {
                    std::vector<std::byte> data(1);
                    communicator.receive(1 - communicator.rank(), data);
                  },
                  {.deadline = 20ms}),
              testing::MatchesRegex("rank . waiting for rank .: no byte moved in 20 ms|"
                                    "rank . gave up: it waited for rank ."));
}

TEST(SocketCommunicator, NamesARankThatLeft) {
  EXPECT_EQ(failure([](Communicator& communicator) {
              std::vector<std::byte> data(1);
              if (communicator.rank() == 1) communicator.receive(0, data);
            }),
            "rank 1 waiting for rank 0: it has left");
}

TEST(SocketCommunicator, ReceivesWhatARankSentBeforeItLeft) {
  EXPECT_EQ(failure([](Communicator& communicator) {
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
  const auto says_so = [](const std::function<void()>& wait) -> std::string {
    try {
      wait();
    } catch (const PeerLost& lost) {
      return lost.what();
    }
    return "nothing";
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
    const std::string why = says_so([&] {
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
