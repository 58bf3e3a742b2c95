// SPDX-License-Identifier: Apache-2.0
// The engine with MPI processes as ranks. Run by mpirun; every rank runs every test.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "adasum/error.h"
#include "adasum/peers/mpi_peers.h"
#include "world_checks.h"

namespace adasum {
namespace {

Peers* world = nullptr;  // the test program's only world; set by main

// What ranks other than 0 print: their failures.
class FailurePrinter : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", world->rank(), result.file_name(), result.line_number(),
                 result.message());
  }
};

bool is_power_of_two(int size) {
  return (size & (size - 1)) == 0;
}

TEST(MpiPeers, KeepTheContract) {
  checks::peers_contract(*world);
}

TEST(MpiPeers, RefuseAMessageOfAnotherLength) {
  if (world->size() == 1) GTEST_SKIP() << "nobody to send to";
  const auto pair = world->split(world->rank() < 2 ? 0 : 1);
  if (world->rank() >= 2) return;
  std::vector<std::byte> data(pair->rank() == 0 ? 3 : 4);
  if (pair->rank() == 0) {
    pair->send(1, data);
    EXPECT_THROW(pair->receive(1, data), Error) << "longer than wanted";
  } else {
    EXPECT_THROW(pair->receive(0, data), Error) << "shorter than wanted";
    pair->send(0, data);
  }
}

TEST(MpiPeers, RefuseARankThatIsNotThere) {
  const std::vector<std::byte> data(1);
  EXPECT_THROW(world->send(world->size(), data), Error);
}

TEST(MpiWorld, GivesTheGoldenValues) {
  checks::golden_values(*world);
}

TEST(MpiWorld, AgreesWithTheSlowTreeOrIsRefused) {
  if (is_power_of_two(world->size())) {
    checks::slow_tree_sizes(*world);
  } else {
    checks::refuses_world(*world);
  }
}

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const MpiSession session;
  const auto peers = session.world();
  world = peers.get();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world->rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);  // the listeners own theirs
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace adasum

int main(int argc, char** argv) {
  return adasum::run(argc, argv);
}
