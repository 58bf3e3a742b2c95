// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/thread_communicator.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "adasum/types/error.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/world_checks.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;

TEST(ThreadCommunicator, KeepsTheContract) {
  for (const int size : {1, 2, 3, 4, 7, 8, 16}) run_ranks(size, checks::communicator_contract);
}

std::string failure_of(const std::function<void(Communicator&)>& body,
                       std::chrono::milliseconds deadline = 30s) {
  return failure<std::exception>([&] { run_ranks(2, body, {.deadline = deadline}); });
}

TEST(ThreadCommunicator, RefusesAMessageOfAnotherLength) {
  EXPECT_EQ(failure_of([](Communicator& communicator) {
              std::vector<std::byte> data(communicator.rank() == 0 ? 3 : 2);
              if (communicator.rank() == 0) communicator.send(1, data);
              if (communicator.rank() == 1) communicator.receive(0, data);
            }),
            "rank 1 waiting for rank 0: got 3 bytes, wanted 2");
}

TEST(ThreadCommunicator, GivesUpAtTheDeadline) {
  EXPECT_EQ(failure_of(
                [](Communicator& communicator) {
                  std::vector<std::byte> data(1);
                  if (communicator.rank() == 1) communicator.receive(0, data);
                },
                20ms),
            "rank 1 waiting for rank 0: nothing came in 20 ms");
}

TEST(ThreadCommunicator, StopsWaitingWhenAnotherRankFails) {
  EXPECT_EQ(failure_of([](Communicator& communicator) {
              if (communicator.rank() == 0) throw std::runtime_error("rank 0 is out of paper");
              std::vector<std::byte> data(1);
              try {
                communicator.receive(0, data);
              } catch (const Error& error) {
                EXPECT_STREQ(error.what(), "rank 1 waiting for rank 0: another rank failed");
                throw;
              }
            }),
            "rank 0 is out of paper");
}

TEST(ThreadCommunicator, RefusesARankThatIsNotThere) {
  EXPECT_EQ(
      failure_of([](Communicator& communicator) { communicator.send(communicator.rank() == 0 ? 2 : 0, {}); }),
      "rank 2: not in a world of 2 ranks");
}

}  // namespace
}  // namespace adasum
