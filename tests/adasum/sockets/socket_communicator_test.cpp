// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/socket_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
