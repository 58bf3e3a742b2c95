// SPDX-License-Identifier: Apache-2.0
// The C functions, in worlds of MPI processes.
#include "adasum/communicators/mpi_communicator.h"  // before whatever includes mpi.h

#include "adasum/c/adasum_mpi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adasum/types/number.h"
#include "tests/adasum/mpi_main.h"
#include "tests/adasum/slow_tree.h"

namespace adasum {
namespace {

constexpr adasum_options any_world = {.group_size = 0, .algorithm = ADASUM_AUTO, .any_world = 1};

bool is_power_of_two(int size) {
  return (size & (size - 1)) == 0;
}

// Equal vectors average to themselves.
template <typename T>
void expect_mean_of_equals(adasum_dtype dtype, void* memory) {
  T* elements = static_cast<T*>(memory);
  for (int i = 0; i < 6; ++i) round_to(elements[i], i - 2);
  std::vector<adasum_tensor> tensors = {{elements + 4, 2}, {nullptr, 0}, {elements, 3}};
  EXPECT_EQ(adasum_allreduce_mpi(tensors.data(), 3, dtype, MPI_COMM_WORLD, &any_world), ADASUM_OK)
      << adasum_last_error();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(to_double(elements[i]), i - 2);
}

TEST(CApi, TakesEveryTypeFromAnyMemoryAndAgain) {
  void* shared = nullptr;
  ASSERT_EQ(adasum_alloc(48, MPI_COMM_WORLD, &shared), ADASUM_OK);
  std::vector<double> ordinary(6);
  for (void* memory : {shared, static_cast<void*>(ordinary.data()), shared}) {
    expect_mean_of_equals<float>(ADASUM_FLOAT32, memory);
    expect_mean_of_equals<double>(ADASUM_FLOAT64, memory);
    expect_mean_of_equals<double>(ADASUM_FLOAT64, memory);
    expect_mean_of_equals<Float16>(ADASUM_FLOAT16, memory);
    expect_mean_of_equals<BFloat16>(ADASUM_BFLOAT16, memory);
  }
  adasum_free(shared);
  ASSERT_EQ(adasum_alloc(48, MPI_COMM_WORLD, &shared), ADASUM_OK);
  expect_mean_of_equals<double>(ADASUM_FLOAT64, shared);
  adasum_free(shared);
  adasum_free(nullptr);
}

TEST(CApi, GivesTheGoldenValuesByDefault) {
  const auto known = golden::one_tensor.find(world->size());
  if (known == golden::one_tensor.end()) return;
  auto data = golden::input(world->rank(), 5);
  adasum_tensor tensor = {data.data(), 5};
  ASSERT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT64, MPI_COMM_WORLD, nullptr), ADASUM_OK);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(data[i], known->second[i], 4e-15);
}

TEST(CApi, SaysWhichRankIsNotFinite) {
  float value = world->rank() == world->size() - 1 ? NAN : 2;
  adasum_tensor tensor = {&value, 1};
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, MPI_COMM_WORLD, &any_world), ADASUM_NOT_FINITE);
  EXPECT_EQ(adasum_last_error(), "rank " + std::to_string(world->size() - 1) + " has NaN or an infinity");
  if (world->rank() < world->size() - 1) {
    EXPECT_EQ(value, 2);
  }
}

TEST(CApi, CallsARankOfASplitCommunicatorAsMpiCommWorldDoes) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world->rank() % 2, world->rank(), &half);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  float value = rank == size - 1 ? NAN : 2;
  adasum_tensor tensor = {&value, 1};
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, half, &any_world), ADASUM_NOT_FINITE);
  const int last = 2 * (size - 1) + world->rank() % 2;
  EXPECT_EQ(adasum_last_error(), "rank " + std::to_string(last) + " has NaN or an infinity");
  MPI_Comm_free(&half);
}

TEST(CApi, RefusesOnAllRanksWhatDiffersOnOne) {
  std::vector<float> data(8);
  const bool other = world->size() > 1 && world->rank() == 1;
  adasum_tensor tensor = {data.data(), other ? 7 : 8};
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, MPI_COMM_WORLD, &any_world),
            world->size() > 1 ? ADASUM_DIFFER : ADASUM_OK);
  tensor.count = 8;
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, other ? 0 : 1, ADASUM_FLOAT32, MPI_COMM_WORLD, &any_world),
            world->size() > 1 ? ADASUM_DIFFER : ADASUM_OK);
  tensor.count = world->rank() == 0 ? -1 : 8;
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, MPI_COMM_WORLD, &any_world), ADASUM_DIFFER);
  tensor = {nullptr, 8};
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, MPI_COMM_WORLD, &any_world), ADASUM_DIFFER);
  EXPECT_NE(std::string(adasum_last_error()), "");
}

TEST(CApi, RefusesAWorldThatDoesNotFit) {
  float value = 1;
  adasum_tensor tensor = {&value, 1};
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, MPI_COMM_WORLD, nullptr),
            is_power_of_two(world->size()) ? ADASUM_OK : ADASUM_WORLD);
  const adasum_options groups = {.group_size = world->size() + 1, .algorithm = ADASUM_AUTO, .any_world = 1};
  EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, MPI_COMM_WORLD, &groups), ADASUM_WORLD);
}

/// Communicators of two ranks per replica, which the destructor frees.
struct Halves {
  Halves() {
    MPI_Comm_split(MPI_COMM_WORLD, world->rank() % 2, 0, &replicas);
    MPI_Comm_split(MPI_COMM_WORLD, world->rank() / 2, 0, &parts);
  }
  ~Halves() {
    MPI_Comm_free(&replicas);
    MPI_Comm_free(&parts);
  }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;

  bool first() const { return world->rank() % 2 == 0; }

  MPI_Comm replicas = MPI_COMM_NULL;
  MPI_Comm parts = MPI_COMM_NULL;
};

TEST(CApi, CombinesPartsOfTensorsByWholeDotProducts) {
  if (world->size() != 4) return;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Halves halves;
    // Replicas (4, 3) and (4, -3), in halves. The ranks with the second half have one more tensor of no use.
    for (int again = 0; again < 3; ++again) {
      std::vector<double> data = {halves.first() ? 4.0 : (world->rank() == 1 ? 3.0 : -3.0), 1};
      adasum_tensor tensors[] = {{data.data(), 1}, {data.data() + 1, halves.first() ? 0 : 1}};
      ASSERT_EQ(
          adasum_allreduce_parts_mpi(tensors, 2, ADASUM_FLOAT64, halves.replicas, halves.parts, nullptr),
          ADASUM_OK)
          << adasum_last_error();
      EXPECT_NEAR(data[0], halves.first() ? 8 * 0.86 : 0, 1e-15);
      EXPECT_EQ(data[1], 1) << "equal ones have themselves as AdaSum";
    }
  }
}

TEST(CApi, RefusesPartsThatDifferOnAllRanks) {
  if (world->size() != 4) return;
  const Halves halves;
  std::vector<float> data = {1, 2};
  adasum_tensor tensors[] = {{data.data(), 1}, {data.data() + 1, 1}};
  const auto combined = [&](std::int64_t n, adasum_dtype dtype, const adasum_options& options) {
    return adasum_allreduce_parts_mpi(tensors, n, dtype, halves.replicas, halves.parts, &options);
  };
  EXPECT_EQ(combined(halves.first() ? 1 : 2, ADASUM_FLOAT32, {}), ADASUM_DIFFER);
  EXPECT_EQ(combined(1, halves.first() ? ADASUM_FLOAT32 : ADASUM_FLOAT16, {}), ADASUM_DIFFER);
  EXPECT_EQ(combined(1, ADASUM_FLOAT32, {halves.first() ? 1 : 2, ADASUM_AUTO, 0}), ADASUM_DIFFER);
  EXPECT_EQ(combined(2, ADASUM_FLOAT32, {0, ADASUM_TREE, 0}), ADASUM_WORLD);
  tensors[1].count = world->rank() == 3 ? -1 : 1;
  EXPECT_EQ(combined(2, ADASUM_FLOAT32, {}), ADASUM_DIFFER);
  tensors[1].count = halves.first() ? 1 : -1;
  EXPECT_EQ(combined(2, ADASUM_FLOAT32, {}), ADASUM_DIFFER);
  data[0] = world->rank() == 2 ? NAN : 1;
  EXPECT_EQ(combined(1, ADASUM_FLOAT32, {}), ADASUM_NOT_FINITE);
  EXPECT_STREQ(adasum_last_error(), "rank 1 has NaN or an infinity");
}

TEST(CApi, KeepsNothingOfACommunicatorThatIsFreed) {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world->rank() % 2, world->rank(), &part);
    void* memory = nullptr;
    ASSERT_EQ(adasum_alloc(4, part, &memory), ADASUM_OK);
    adasum_tensor tensor = {memory, 1};
    EXPECT_EQ(adasum_allreduce_mpi(&tensor, 1, ADASUM_FLOAT32, part, &any_world), ADASUM_OK);
    adasum_free(memory);
    MPI_Comm_free(&part);
  }
}

}  // namespace
}  // namespace adasum
