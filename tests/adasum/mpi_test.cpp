// SPDX-License-Identifier: Apache-2.0
// The engine with MPI processes as ranks. Run by mpirun; every rank runs every test.
#include <gtest/gtest.h>

#include <vector>

#include "adasum/error.h"
#include "tests/adasum/mpi_main.h"
#include "world_checks.h"

namespace adasum {
namespace {

bool is_power_of_two(int size) {
  return (size & (size - 1)) == 0;
}

TEST(MpiPeers, KeepTheContract) {
  checks::peers_contract(*world);
}

// Left out of the world of one, which has nobody to send to.
TEST(MpiPeers, RefuseAMessageOfAnotherLength) {
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
    // Halved down to 16 ranks, its messages are still long enough for MPI's rendezvous.
    checks::slow_tree(*world, std::size_t{1} << 19);
  } else {
    checks::refuses_world(*world);
  }
}

}  // namespace
}  // namespace adasum

int main(int argc, char** argv) {
  return adasum::run_mpi_tests(argc, argv);
}
