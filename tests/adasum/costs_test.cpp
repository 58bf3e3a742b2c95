// SPDX-License-Identifier: Apache-2.0
// The cost table of docs/adasum.md, compared with counted messages and elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/plan.h"
#include "tests/adasum/counting_communicator.h"

namespace adasum {
namespace {

struct Case {
  std::size_t p = 1;
  std::size_t n = 0;
  std::size_t t = 1;
  std::size_t g = 1;
  Algorithm algorithm = Algorithm::automatic;
  std::size_t ranks_per_node = 0;
};

std::vector<std::span<float>> divided(std::span<float> data, std::size_t tensors) {
  std::vector<std::span<float>> list;
  for (std::size_t i = 0; i < tensors; ++i) {
    const std::size_t each = i + 1 < tensors ? data.size() / 3 : data.size();
    list.push_back(data.first(each));
    data = data.subspan(each);
  }
  return list;
}

// What each rank sends in one run of a plan.
std::vector<Traffic> traffic_of(const Case& c) {
  std::vector<Traffic> all(c.p);
  const ThreadWorld world{.ranks_per_node = static_cast<int>(c.ranks_per_node)};
  run_ranks(
      static_cast<int>(c.p),
      [&](Communicator& communicator) {
        Traffic traffic;
        CountingCommunicator counting(communicator, traffic);
        Engine engine(counting,
                      {.group_size = static_cast<int>(c.g), .algorithm = c.algorithm, .worlds = Worlds::any});
        std::vector<float> data(c.n, 1.0F + static_cast<float>(communicator.rank()));
        Plan<float> plan(engine, divided(data, c.t));
        traffic = {.scalar_bytes = 3 * c.t * sizeof(double)};
        EXPECT_EQ(plan.run(), std::nullopt);
        all[static_cast<std::size_t>(communicator.rank())] = traffic;
      },
      world);
  return all;
}

std::size_t elements(const std::vector<Traffic>& all) {
  std::size_t bytes = 0;
  for (const Traffic& traffic : all) bytes += traffic.data_bytes;
  return bytes / sizeof(float);
}

std::size_t log2_of(std::size_t number) {
  return static_cast<std::size_t>(std::countr_zero(number));
}

// Sizes that ranks divide evenly, and other sizes.
template <typename Visit>
void for_each_size(const Visit& visit) {
  for (const std::size_t n : {1000, 1024, 4801}) {
    for (const std::size_t t : {1, 3}) visit(n, t);
  }
}

void expect_tree(const Case& c) {
  const std::size_t levels = log2_of(c.p);
  const auto all = traffic_of(c);
  EXPECT_EQ(elements(all), 2 * c.n * (c.p - 1));
  for (const Traffic& traffic : all) {
    EXPECT_EQ(traffic.data_messages, 2 * levels);
    EXPECT_EQ(traffic.scalar_messages, levels * (levels + 1) / 2);
    EXPECT_EQ(traffic.sums, 0U);
    EXPECT_EQ(traffic.all_gathers, 1U) << "whether all is finite";
    if (c.n % c.p == 0) {
      EXPECT_EQ(traffic.data_bytes, sizeof(float) * 2 * c.n * (c.p - 1) / c.p);
    }
  }
}

// The tensors that no rank has to itself: a rank's share of all elements begins inside of them.
std::size_t shared_tensors(const Case& c) {
  std::vector<float> data(c.n);
  std::size_t found = 0;
  std::size_t begin = 0;
  for (const std::span<float> tensor : divided(data, c.t)) {
    bool is_shared = false;
    for (std::size_t rank = 1; rank < c.p; ++rank) {
      const std::size_t border = rank * (c.n / c.p) + std::min(rank, c.n % c.p);
      is_shared = is_shared || (begin < border && border < begin + tensor.size());
    }
    if (is_shared) ++found;
    begin += tensor.size();
  }
  return found;
}

void expect_gram(const Case& c) {
  const auto all = traffic_of(c);
  EXPECT_EQ(elements(all), 2 * c.n * (c.p - 1));
  for (const Traffic& traffic : all) {
    EXPECT_EQ(traffic.data_messages, 2 * (c.p - 1));
    EXPECT_EQ(traffic.scalar_messages, 0U);
    EXPECT_EQ(traffic.sums, 1U);
    EXPECT_EQ(traffic.summed, 1 + shared_tensors(c) * c.p * (c.p + 1) / 2);
    EXPECT_EQ(traffic.all_gathers, 0U);
    if (c.n % c.p == 0) {
      EXPECT_EQ(traffic.data_bytes, sizeof(float) * 2 * c.n * (c.p - 1) / c.p);
    }
  }
}

void expect_tree_of_groups(const Case& c) {
  const std::size_t q = c.p / c.g;
  const auto all = traffic_of(c);
  // To the mean and back within groups, and the tree between them.
  EXPECT_EQ(elements(all), 2 * q * c.n * (c.g - 1) + 2 * c.n * (q - 1));
  for (const Traffic& traffic : all) {
    EXPECT_EQ(traffic.data_messages, 2 * (c.g - 1) + 2 * log2_of(q));
    EXPECT_EQ(traffic.sums, log2_of(q));
    EXPECT_EQ(traffic.summed, 3 * c.t * log2_of(q));
  }
}

void expect_shared(const Case& c) {
  const std::size_t nodes = c.p / c.ranks_per_node;
  const auto all = traffic_of(c);
  EXPECT_EQ(elements(all), 2 * c.n * (nodes - 1));
  for (const Traffic& traffic : all) {
    EXPECT_EQ(traffic.data_messages, 2 * (nodes - 1));
    EXPECT_EQ(traffic.sums, nodes > 1 ? 1U : 0U);
    EXPECT_LE(traffic.summed, 1 + c.t * nodes * (nodes + 1) / 2);
    EXPECT_EQ(traffic.all_gathers, 0U);
  }
}

TEST(Costs, OfTreeAreThoseOfTheTable) {
  for (const std::size_t p : {2, 4, 8, 16})
    for_each_size(
        [&](auto n, auto t) { expect_tree({.p = p, .n = n, .t = t, .algorithm = Algorithm::tree}); });
}

TEST(Costs, OfGramAreThoseOfTheTable) {
  for (const std::size_t p : {2, 3, 4, 8, 16})
    for_each_size(
        [&](auto n, auto t) { expect_gram({.p = p, .n = n, .t = t, .algorithm = Algorithm::gram}); });
}

TEST(Costs, OfTreeOverGroupsAreThoseOfTheTable) {
  for (const std::size_t g : {2, 4})
    for_each_size([&](auto n, auto t) {
      expect_tree_of_groups({.p = 8, .n = n, .t = t, .g = g, .algorithm = Algorithm::tree});
    });
}

// One vector of 4 KB: by default the engine sends none of it inside nodes, and gathers once between them.
TEST(Costs, OfSmallVectorsAreThoseOfTheTable) {
  for (const std::size_t ranks_per_node : {2, 4, 8}) {
    for (const Traffic& traffic : traffic_of({.p = 8, .n = 1000, .ranks_per_node = ranks_per_node})) {
      EXPECT_EQ(traffic.data_messages + traffic.scalar_messages + traffic.sums, 0U);
      EXPECT_EQ(traffic.all_gathers, ranks_per_node < 8 ? 1U : 0U);
    }
  }
}

TEST(Costs, OfSharedAreThoseOfTheTable) {
  for (const std::size_t ranks_per_node : {2, 4, 8}) {
    for_each_size([&](auto n, auto t) {
      expect_shared(
          {.p = 8, .n = n, .t = t, .algorithm = Algorithm::shared, .ranks_per_node = ranks_per_node});
    });
  }
}

}  // namespace
}  // namespace adasum
