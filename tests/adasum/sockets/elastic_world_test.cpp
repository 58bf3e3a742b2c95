// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/elastic_world.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adasum/types/error.h"
#include "tests/adasum/sockets/pmi_server.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;
using sockets::PmiServer;

/// Runs `body` once per rank, each in a thread of its own, except for a rank that is told while it connects
/// that the others go on without it.
void run_elastic_ranks(int ranks, PmiServer& server,
                       const std::function<void(int rank, ElasticWorld&)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      std::optional<ElasticWorld> world;
      try {
        world.emplace(server.environment_of(rank), sockets::MeshOptions(), 10s);
      } catch (const Error& error) {
        EXPECT_EQ(error.what(), "rank " + std::to_string(rank) + " is not among the ranks that go on");
        return;
      }
      body(rank, *world);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// The sum of the ranks' numbers at the start of the job.
double sum_of_ranks(ElasticWorld& world) {
  const auto index = static_cast<std::size_t>(world.communicator().rank());
  std::array<double, 1> sum = {static_cast<double>(world.members()[index])};
  world.communicator().sum(std::span<double>(sum));
  return sum[0];
}

/// Adds until the members are those of a generation. Ranks that have been told may be anywhere in this.
void come_to(std::uint64_t generation, ElasticWorld& world) {
  while (world.generation() < generation) {
    EXPECT_THROW(
        {
          while (true) sum_of_ranks(world);
        },
        Error);
    world.change();
  }
}

TEST(ElasticWorld, GoesOnWithoutARankThatEnds) {
  PmiServer server(4);
  run_elastic_ranks(4, server, [&](int rank, ElasticWorld& world) {
    if (rank == 1) return;
    if (rank == 0) server.tell(2, "0,2-3");
    come_to(2, world);
    EXPECT_EQ(world.members(), (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(world.communicator().size(), 3);
    EXPECT_EQ(sum_of_ranks(world), 5);
    world.finish();
  });
}

TEST(ElasticWorld, GoesOnUntilOneIsLeft) {
  PmiServer server(5);
  run_elastic_ranks(5, server, [&](int rank, ElasticWorld& world) {
    for (int size = world.communicator().size(); size > 1; size = world.communicator().size()) {
      if (rank == size - 1) return;
      if (rank == 0) server.tell(world.generation() + 1, "0-" + std::to_string(size - 2));
      try {
        come_to(world.generation() + 1, world);
      } catch (const Error&) {  // It is not among those of a later generation.
        EXPECT_GT(rank, 0);
        return;
      }
    }
    EXPECT_EQ(world.generation(), 5U);
    EXPECT_EQ(sum_of_ranks(world), 0);
  });
}

TEST(ElasticWorld, GoesOnWhenAnotherRankEndsWhileTheOthersMeet) {
  PmiServer server(4);
  run_elastic_ranks(4, server, [&](int rank, ElasticWorld& world) {
    if (rank >= 2) return;  // Rank 2 is expected in generation 2, and does not come.
    if (rank == 0) {
      server.tell(2, "0-2");
      std::this_thread::sleep_for(20ms);  // Rank 1 may have begun to meet the others.
      server.tell(3, "0-1");
    }
    come_to(3, world);
    EXPECT_EQ(sum_of_ranks(world), 1);
  });
}

TEST(ElasticWorld, ConnectsTheSameRanksAnewWhereNoneHasEnded) {
  PmiServer server(3);
  run_elastic_ranks(3, server, [&](int rank, ElasticWorld& world) {
    if (rank == 1) {
      world.change();  // As if its connections were lost.
    } else if (rank == 0) {
      while (server.lost_peers() == 0) std::this_thread::sleep_for(1ms);
      server.tell(2, "0-2");
    }
    come_to(2, world);
    EXPECT_EQ(sum_of_ranks(world), 3);
  });
}

TEST(ElasticWorld, RefusesARankThatIsNotAmongThoseThatGoOn) {
  PmiServer server(2);
  run_elastic_ranks(2, server, [&](int rank, ElasticWorld& world) {
    if (rank == 0) {
      server.tell(2, "0");
      come_to(2, world);
      EXPECT_EQ(sum_of_ranks(world), 0);
      return;
    }
    try {
      world.change();
      ADD_FAILURE() << "it goes on";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "rank 1 is not among the ranks that go on");
    }
  });
}

TEST(ElasticWorld, EndsIfWhatStartedItIsGone) {
  PmiServer server(2);
  run_elastic_ranks(2, server, [&](int rank, ElasticWorld& world) {
    if (rank == 0) server.hang_up();
    EXPECT_THROW(come_to(2, world), Error);
  });
}

}  // namespace
}  // namespace adasum
