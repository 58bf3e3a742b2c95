// SPDX-License-Identifier: Apache-2.0
#include "tests/adasum/world_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "adasum/bucket_plan.h"
#include "adasum/plan.h"

namespace adasum::checks {
namespace {

constexpr std::size_t sizes[] = {300, 0, 7, 1000, 1, 33, 500};
constexpr std::size_t all = 1841;

std::vector<float> input(const Communicator& communicator, int round) {
  std::mt19937 random(static_cast<unsigned>(31 * round + communicator.rank()));
  std::vector<float> values(all);
  for (float& value : values) value = static_cast<float>(random()) * 0x1p-31F - 1;
  return values;
}

std::vector<std::span<float>> tensors_in(std::span<float> memory) {
  std::vector<std::span<float>> tensors;
  for (const std::size_t size : sizes) {
    tensors.push_back(memory.first(size));
    memory = memory.subspan(size);
  }
  return tensors;
}

bool has_same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// The same on all ranks, and the result of one plan for all tensors, except for the order of additions in dot
// products.
void expect_result(std::span<const float> result, const std::vector<float>& wanted,
                   Communicator& communicator) {
  std::vector<float> first(result.begin(), result.end());
  communicator.broadcast(std::as_writable_bytes(std::span(first)), 0);
  EXPECT_TRUE(has_same_bits(result, first));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(result[i], wanted[i], 0x1p-20) << "element " << i;
}

std::vector<float> wanted(Communicator& communicator, const Options& options, int round) {
  auto data = input(communicator, round);
  Engine engine(communicator, options);
  EXPECT_EQ(Plan<float>(engine, tensors_in(data)).run(), std::nullopt);
  return data;
}

template <typename Visit>
void for_each_way(const Communicator& communicator, const Visit& visit) {
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::tree, Algorithm::gram}) {
    if (algorithm == Algorithm::tree && (communicator.size() & (communicator.size() - 1)) != 0) continue;
    SCOPED_TRACE(static_cast<int>(algorithm));
    visit(Options{.algorithm = algorithm, .worlds = Worlds::any});
  }
  if (communicator.size() % 2 == 0) visit(Options{.group_size = 2, .worlds = Worlds::any});
}

// In another order on each rank.
std::vector<std::size_t> shuffled(const Communicator& communicator, int round) {
  std::vector<std::size_t> order(std::size(sizes));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(),
               std::mt19937(static_cast<unsigned>(7 * round + communicator.rank())));
  return order;
}

// In memory of the engine, and in ordinary memory.
template <typename Visit>
void for_each_memory(Engine& engine, const Visit& visit) {
  std::vector<float> ordinary(all);
  const auto memory = engine.allocate(all * sizeof(float));
  visit(std::span<float>(ordinary));
  visit(std::span<float>(reinterpret_cast<float*>(memory.data()), all));
}

}  // namespace

void active_plans(Communicator& communicator) {
  for_each_way(communicator, [&](const Options& options) {
    Engine first(communicator, options);
    Engine second(first, options);
    auto a = input(communicator, 0);
    auto b = input(communicator, 1);
    Plan<float> one(first, tensors_in(a));
    Plan<float> other(second, tensors_in(b));
    // Ranks start and progress them in different orders.
    const bool turned = communicator.rank() % 2 == 1;
    (turned ? other : one).start();
    (turned ? one : other).start();
    for (int i = 0; i < 3 + communicator.rank(); ++i) (i % 2 == 0 ? one : other).progress();
    EXPECT_EQ(one.wait(), std::nullopt);
    EXPECT_EQ(other.wait(), std::nullopt);
    expect_result(a, wanted(communicator, options, 0), communicator);
    expect_result(b, wanted(communicator, options, 1), communicator);
  });
}

void destroyed_plans(Communicator& communicator) {
  for_each_way(communicator, [&](const Options& options) {
    Engine engine(communicator, options);
    for_each_memory(engine, [&](std::span<float> memory) {
      for (int round = 0; round < 3; ++round) {
        std::ranges::copy(input(communicator, round), memory.begin());
        Plan<float> plan(engine, tensors_in(memory));
        plan.start();
        for (int i = 0; i < communicator.rank() % 3; ++i) plan.progress();
      }
      {
        std::ranges::copy(input(communicator, 5), memory.begin());
        BucketPlan<float> plan(engine, tensors_in(memory), 1200);
        for (const std::size_t tensor : {6, 5, 4, 3}) plan.ready(tensor);
      }
      std::ranges::copy(input(communicator, 1), memory.begin());
      Plan<float> plan(engine, tensors_in(memory));
      EXPECT_EQ(plan.run(), std::nullopt);
      expect_result(memory, wanted(communicator, options, 1), communicator);
    });
  });
}

void buckets(Communicator& communicator) {
  for_each_way(communicator, [&](const Options& options) {
    Engine engine(communicator, options);
    for_each_memory(engine, [&](std::span<float> memory) {
      BucketPlan<float> plan(engine, tensors_in(memory), 1200);
      EXPECT_EQ(plan.buckets(), 3U);
      for (int round = 0; round < 3; ++round) {
        std::ranges::copy(input(communicator, round), memory.begin());
        auto order = shuffled(communicator, round);
        if (round == 2) order.resize(3);  // the others are ready when wait() is called
        for (const std::size_t tensor : order) plan.ready(tensor);
        plan.progress();
        EXPECT_EQ(plan.wait(), std::nullopt);
        expect_result(memory, wanted(communicator, options, round), communicator);
      }
    });
  });
}

void buckets_not_finite(Communicator& communicator) {
  for_each_way(communicator, [&](const Options& options) {
    Engine engine(communicator, options);
    for_each_memory(engine, [&](std::span<float> memory) {
      BucketPlan<float> plan(engine, tensors_in(memory), 1200);
      for (const int rank : {0, communicator.size() - 1}) {
        auto data = input(communicator, rank);
        if (communicator.rank() >= rank)
          data[rank == 0 ? 3 : all - 1] = NAN;  // of the last bucket, or of the first
        std::ranges::copy(data, memory.begin());
        for (const std::size_t tensor : shuffled(communicator, rank)) plan.ready(tensor);
        EXPECT_EQ(plan.wait(), rank);
        EXPECT_TRUE(has_same_bits(memory, data));
      }
      std::ranges::copy(input(communicator, 5), memory.begin());
      EXPECT_EQ(plan.wait(), std::nullopt) << "continues afterwards";
      expect_result(memory, wanted(communicator, options, 5), communicator);
    });
  });
}

}  // namespace adasum::checks
