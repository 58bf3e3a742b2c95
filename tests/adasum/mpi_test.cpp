// SPDX-License-Identifier: Apache-2.0
// The engine with MPI processes as ranks. Run by mpirun; every rank runs every test.
#include "adasum/communicators/mpi_communicator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "adasum/types/error.h"
#include "tests/adasum/mpi_main.h"
#include "tests/adasum/world_checks.h"

namespace adasum {
namespace {

TEST(MpiCommunicator, KeepsTheContract) {
  checks::communicator_contract(*world);
}

// Not run in the world of one, which has no rank to send to.
TEST(MpiCommunicator, RefusesAMessageOfAnotherLength) {
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

TEST(MpiCommunicator, RefusesARankThatIsNotThere) {
  const std::vector<std::byte> data(1);
  EXPECT_THROW(world->send(world->size(), data), Error);
}

TEST(MpiCommunicator, SendsMoreThanAnIntCountsInChunks) {
  using Chunk = std::pair<std::size_t, int>;
  std::vector<Chunk> chunks;
  const auto collect = [&](std::size_t offset, int length) { chunks.emplace_back(offset, length); };
  constexpr std::size_t gib = std::size_t{1} << 30;
  for_each_chunk(3 * gib - 1, gib, collect);
  EXPECT_EQ(chunks, (std::vector<Chunk>{{0, 1 << 30}, {gib, 1 << 30}, {2 * gib, (1 << 30) - 1}}));
  chunks.clear();
  for_each_chunk(gib, gib, collect);
  EXPECT_EQ(chunks, (std::vector<Chunk>{{0, 1 << 30}}));
  chunks.clear();
  for_each_chunk(0, gib, collect);
  EXPECT_EQ(chunks, (std::vector<Chunk>{{0, 0}})) << "an empty message is still a message";
}

TEST(MpiWorld, GivesTheGoldenValues) {
  checks::golden_values(*world);
}

TEST(MpiWorld, HasTheBitsOfThreads) {
  checks::same_bits_as_threads(*world, 0, checks::Adds::in_shared_memory);
}

TEST(MpiWorld, SharesMemory) {
  checks::takes_shared_memory(*world, true);  // also in a world of one, which has nothing to combine
}

TEST(MpiWorld, AgreesWithTheSlowTree) {
  const int p = world->size();
  checks::slow_tree(*world, static_cast<std::size_t>(20 * p - 13));
  if (p % 2 == 0)
    checks::slow_tree(*world, static_cast<std::size_t>(p + 2), p / 2, checks::Types::only_float);
  // A share of 16 ranks is still long enough for MPI's rendezvous.
  checks::slow_tree(*world, std::size_t{1} << 19, 1, checks::Types::only_float);
}

TEST(MpiWorld, FindsTheRankThatIsNotFinite) {
  checks::not_finite(*world);
}

TEST(MpiWorld, CombinesPartsOfTensors) {
  for (const int parts : {2, 3, 4}) {
    if (world->size() % parts != 0) continue;
    checks::parts_of_tensors(*world, parts);
    checks::parts_not_finite(*world, parts);
  }
}

TEST(MpiWorld, RefusesListsThatDiffer) {
  checks::lists_that_differ(*world);
}

TEST(MpiWorld, HasActivePlans) {
  checks::active_plans(*world);
}

TEST(MpiWorld, DestroysActivePlans) {
  checks::destroyed_plans(*world);
}

TEST(MpiWorld, CombinesInBuckets) {
  checks::buckets(*world);
  checks::buckets_not_finite(*world);
}

}  // namespace
}  // namespace adasum

int main(int argc, char** argv) {
  return adasum::run_mpi_tests(argc, argv);
}
