// SPDX-License-Identifier: Apache-2.0
// The C API over sockets, with threads as ranks.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "adasum/c/adasum.h"

namespace {

/// Runs `body` once per rank with its world, each in a thread of its own.
void run_worlds(int size, const std::function<void(adasum_world*)>& body) {
  int port = 0;
  std::array<char, 65> secret{};
  adasum_root* root = nullptr;
  ASSERT_EQ(adasum_world_listen("127.0.0.1", &port, secret.data(), &root), ADASUM_OK) << adasum_last_error();
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      adasum_world* world = nullptr;
      ASSERT_EQ(adasum_world_connect(rank, size, "127.0.0.1", port, secret.data(), rank == 0 ? root : nullptr,
                                     &world),
                ADASUM_OK)
          << adasum_last_error();
      body(world);
      adasum_world_free(world);
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

TEST(CWorld, AddsWhatIsOrthogonalAndAveragesWhatIsEqual) {
  run_worlds(4, [](adasum_world* world) {
    const int rank = adasum_world_rank(world);
    EXPECT_EQ(adasum_world_size(world), 4);
    std::array<float, 6> gradients = {rank == 0 ? 1.0F : 0, rank == 1 ? 1.0F : 0, 2, 3, 4, 5};
    std::array<adasum_tensor, 2> tensors = {{{gradients.data(), 2}, {gradients.data() + 2, 4}}};
    ASSERT_EQ(adasum_allreduce(tensors.data(), 2, ADASUM_FLOAT32, world, nullptr), ADASUM_OK)
        << adasum_last_error();
    EXPECT_EQ(gradients, (std::array<float, 6>{1, 1, 2, 3, 4, 5}));
  });
}

TEST(CWorld, TellsAllRanksWhichOneHasNoNumber) {
  run_worlds(2, [](adasum_world* world) {
    double value = adasum_world_rank(world) == 1 ? std::numeric_limits<double>::infinity() : 1;
    adasum_tensor tensor = {&value, 1};
    EXPECT_EQ(adasum_allreduce(&tensor, 1, ADASUM_FLOAT64, world, nullptr), ADASUM_NOT_FINITE);
    EXPECT_STREQ(adasum_last_error(), "rank 1 has NaN or an infinity");
  });
}

TEST(CWorld, TellsAllRanksThatOneGaveNoTensors) {
  run_worlds(2, [](adasum_world* world) {
    float value = 1;
    adasum_tensor tensor = {&value, 1};
    const bool gives = adasum_world_rank(world) == 0;
    EXPECT_EQ(adasum_allreduce(gives ? &tensor : nullptr, 1, ADASUM_FLOAT32, world, nullptr), ADASUM_DIFFER);
    EXPECT_EQ(adasum_allreduce(&tensor, gives ? 1 : -1, ADASUM_FLOAT32, world, nullptr), ADASUM_DIFFER);
    EXPECT_EQ(adasum_allreduce(&tensor, 1, ADASUM_FLOAT32, world, nullptr), ADASUM_OK);
  });
}

TEST(CWorld, RefusesNull) {
  char byte = 0;
  void* memory = nullptr;
  EXPECT_EQ(adasum_allreduce(nullptr, 0, ADASUM_FLOAT32, nullptr, nullptr), ADASUM_FAILED);
  EXPECT_STREQ(adasum_last_error(), "the world is NULL");
  EXPECT_EQ(adasum_broadcast(&byte, 1, 0, nullptr), ADASUM_FAILED);
  EXPECT_EQ(adasum_world_alloc(1, nullptr, &memory), ADASUM_FAILED);
  run_worlds(1, [](adasum_world* world) {
    EXPECT_EQ(adasum_broadcast(nullptr, 3, 0, world), ADASUM_FAILED);
    EXPECT_STREQ(adasum_last_error(), "broadcast of 3 bytes at NULL");
  });
}

TEST(CWorld, BroadcastsAndSharesMemory) {
  run_worlds(2, [](adasum_world* world) {
    void* memory = nullptr;
    ASSERT_EQ(adasum_world_alloc(8, world, &memory), ADASUM_OK) << adasum_last_error();
    auto* values = static_cast<float*>(memory);
    if (adasum_world_rank(world) == 0) values[0] = values[1] = 3;
    ASSERT_EQ(adasum_broadcast(values, 8, 0, world), ADASUM_OK) << adasum_last_error();
    EXPECT_EQ(values[1], 3);
    adasum_free(memory);
  });
}

TEST(CWorld, TellsAllRanksWhichOneHasNoMemoryAndContinues) {
  run_worlds(2, [](adasum_world* world) {
    for (const std::int64_t more_than_there_is : {INT64_MAX, std::int64_t{-1}}) {
      void* memory = nullptr;
      EXPECT_EQ(adasum_world_alloc(adasum_world_rank(world) == 1 ? more_than_there_is : 8, world, &memory),
                ADASUM_FAILED);
      EXPECT_STREQ(adasum_last_error(), "rank 1 has no memory for as many bytes as it asked for");
      EXPECT_EQ(memory, nullptr);
    }
    float value = 3;
    adasum_tensor tensor = {&value, 1};
    EXPECT_EQ(adasum_allreduce(&tensor, 1, ADASUM_FLOAT32, world, nullptr), ADASUM_OK) << adasum_last_error();
    EXPECT_EQ(value, 3);
  });
}

TEST(CWorld, TakesBackMemoryThatWasFreedWithIt) {
  void* memory = nullptr;
  run_worlds(1, [&memory](adasum_world* world) {
    ASSERT_EQ(adasum_world_alloc(8, world, &memory), ADASUM_OK) << adasum_last_error();
  });
  ASSERT_NE(memory, nullptr);
  adasum_free(memory);
}

TEST(CWorld, FailsWhereARankHasLeft) {
  run_worlds(2, [](adasum_world* world) {
    if (adasum_world_rank(world) == 1) return;
    char byte = 0;
    EXPECT_EQ(adasum_broadcast(&byte, 1, 1, world), ADASUM_FAILED);
    EXPECT_STREQ(adasum_last_error(), "rank 0 waiting for rank 1: it has left");
  });
}

TEST(CWorld, FailsOnAllRanksWhereOneBroadcastsAtNull) {
  run_worlds(2, [](adasum_world* world) {
    std::array<char, 3> bytes{};
    const bool has_memory = adasum_world_rank(world) == 0;
    EXPECT_EQ(adasum_broadcast(has_memory ? bytes.data() : nullptr, 3, 1, world), ADASUM_FAILED);
    EXPECT_STREQ(adasum_last_error(), has_memory ? "rank 1 gave up" : "broadcast of 3 bytes at NULL");
  });
}

TEST(CWorld, FailsOnTheOtherRanksWhereOneGivesUp) {
  run_worlds(2, [](adasum_world* world) {
    char byte = 0;
    if (adasum_world_rank(world) == 1) adasum_world_give_up(world);
    EXPECT_EQ(adasum_broadcast(&byte, 1, 1, world), ADASUM_FAILED);
    if (adasum_world_rank(world) == 0) {
      EXPECT_STREQ(adasum_last_error(), "rank 1 gave up");
    }
  });
  adasum_world_give_up(nullptr);
}

TEST(CWorld, RefusesARootThatIsNoRank) {
  run_worlds(2, [](adasum_world* world) {
    char byte = 0;
    EXPECT_EQ(adasum_broadcast(&byte, 1, 2, world), ADASUM_DIFFER);
    EXPECT_STREQ(adasum_last_error(), "root 2: the world has 2 ranks");
    EXPECT_EQ(adasum_broadcast(&byte, 1, 1, world), ADASUM_OK) << "it continues";
  });
}

TEST(CWorld, RefusesWhatNamesNoWorld) {
  struct Case {
    int rank;
    int size;
    int port;
    const char* secret;
    const char* why;
    const char* host = "127.0.0.1";
  };
  const std::string secret(64, 'a');
  constexpr const char* no_host = "no host: wanted a name or an address of the machine of rank 0";
  for (const Case& one : std::vector<Case>{{1, 2, 1, "abc", "the secret: wanted 64 hexadecimal digits"},
                                           {1, 2, 1, nullptr, "the secret: wanted 64 hexadecimal digits"},
                                           {1, 2, 65'536, secret.c_str(), "port 65536: wanted 1 to 65535"},
                                           {2, 2, 1, secret.c_str(), "rank 2: not in a world of 2 ranks"},
                                           {-1, 2, 1, secret.c_str(), "rank -1: not in a world of 2 ranks"},
                                           {0, 0, 1, secret.c_str(), "rank 0: not in a world of 0 ranks"},
                                           {1, 2, 1, secret.c_str(), no_host, ""},
                                           {1, 2, 1, secret.c_str(), no_host, nullptr}}) {
    adasum_world* world = nullptr;
    EXPECT_EQ(adasum_world_connect(one.rank, one.size, one.host, one.port, one.secret, nullptr, &world),
              ADASUM_FAILED);
    EXPECT_STREQ(adasum_last_error(), one.why);
  }
}

TEST(CWorld, FreesAListenerThatIsNotUsed) {
  int port = 0;
  std::array<char, 65> secret{};
  adasum_root* root = nullptr;
  ASSERT_EQ(adasum_world_listen("", &port, secret.data(), &root), ADASUM_OK) << adasum_last_error();
  adasum_root_free(root);
  adasum_root_free(nullptr);
}

}  // namespace
