// SPDX-License-Identifier: Apache-2.0
#include "adasum/peers/thread_peers.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "adasum/error.h"
#include "world_checks.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;

TEST(ThreadPeers, KeepTheContract) {
  for (const int size : {1, 2, 3, 4, 7, 8, 16}) run_ranks(size, checks::peers_contract);
}

std::string failure(const std::function<void(Peers&)>& body, std::chrono::milliseconds deadline = 30s) {
  try {
    run_ranks(2, body, {.deadline = deadline});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(ThreadPeers, RefuseAMessageOfAnotherLength) {
  EXPECT_EQ(failure([](Peers& peers) {
              std::vector<std::byte> data(peers.rank() == 0 ? 3 : 2);
              if (peers.rank() == 0) peers.send(1, data);
              if (peers.rank() == 1) peers.receive(0, data);
            }),
            "rank 1 waiting for rank 0: got 3 bytes, wanted 2");
}

TEST(ThreadPeers, GiveUpAtTheDeadline) {
  EXPECT_EQ(failure(
                [](Peers& peers) {
                  std::vector<std::byte> data(1);
                  if (peers.rank() == 1) peers.receive(0, data);
                },
                20ms),
            "rank 1 waiting for rank 0: nothing came in 20 ms");
}

TEST(ThreadPeers, StopWaitingWhenAnotherRankFails) {
  EXPECT_EQ(failure([](Peers& peers) {
              if (peers.rank() == 0) throw std::runtime_error("rank 0 is out of paper");
              std::vector<std::byte> data(1);
              try {
                peers.receive(0, data);
              } catch (const Error& error) {
                EXPECT_STREQ(error.what(), "rank 1 waiting for rank 0: another rank failed");
                throw;
              }
            }),
            "rank 0 is out of paper");
}

TEST(ThreadPeers, RefuseARankThatIsNotThere) {
  EXPECT_EQ(failure([](Peers& peers) { peers.send(peers.rank() == 0 ? 2 : 0, {}); }),
            "rank 2: not in a world of 2 ranks");
}

}  // namespace
}  // namespace adasum
