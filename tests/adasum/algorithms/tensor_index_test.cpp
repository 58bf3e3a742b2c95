// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/tensor_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace adasum::algorithms {
namespace {

using Counts = std::vector<std::int64_t>;
using Shared = TensorIndex::Shared;

// The parts of `rank` in a world of this size.
TensorIndex numbers_of(const Layout& layout, int rank, int ranks, Shared shared = Shared::split_tensors) {
  return {layout, shares(layout.whole(), ranks), share(layout.whole(), rank, ranks), shared};
}

Layout layout_of(const Counts& counts) {
  std::size_t size = 0;
  for (const std::int64_t count : counts) size += static_cast<std::size_t>(count);
  return {counts, size};
}

TEST(TensorIndex, BeginsWithTensorsThatReachOverShares) {
  const Layout layout = layout_of({3, 0, 4, 1});  // shares of three: 3, 3 and 2 elements
  const auto first = numbers_of(layout, 0, 3);
  EXPECT_EQ(first.shared(), 1U);
  EXPECT_EQ(first.all(), 2U);
  EXPECT_EQ(first.of(2), 0U);
  EXPECT_EQ(first.of(0), 1U);
  const auto second = numbers_of(layout, 1, 3);
  EXPECT_EQ(second.all(), 1U);
  EXPECT_EQ(second.of(2), 0U);
  const auto third = numbers_of(layout, 2, 3);
  EXPECT_EQ(third.all(), 2U);
  EXPECT_EQ(third.of(3), 1U);
}

TEST(TensorIndex, IsThatOfTheListWhereAllAreWanted) {
  const auto numbers = numbers_of(layout_of({3, 0, 4, 1}), 1, 3, Shared::all_tensors);
  EXPECT_EQ(numbers.shared(), 4U);
  EXPECT_EQ(numbers.all(), 4U);
  for (std::size_t tensor = 0; tensor < 4; ++tensor) EXPECT_EQ(numbers.of(tensor), tensor);
}

// Each part of a rank has a number of its own tensor. Shared parts have the same number on all ranks, and no
// other part holds it.
void expect_numbers(const Counts& counts, int ranks) {
  const Layout layout = layout_of(counts);
  std::vector<int> holders(counts.size());
  for (int rank = 0; rank < ranks; ++rank)
    layout.for_each_part(share(layout.whole(), rank, ranks),
                         [&](std::size_t tensor, Range) { ++holders[tensor]; });
  for (int rank = 0; rank < ranks; ++rank) {
    const auto numbers = numbers_of(layout, rank, ranks);
    EXPECT_LT(numbers.shared(), static_cast<std::size_t>(ranks));
    std::set<std::size_t> taken;
    layout.for_each_part(share(layout.whole(), rank, ranks), [&](std::size_t tensor, Range) {
      const std::size_t number = numbers.of(tensor);
      EXPECT_LT(number, numbers.all());
      EXPECT_EQ(number<numbers.shared(), holders[tensor]> 1);
      EXPECT_TRUE(taken.insert(number).second);
      if (number < numbers.shared()) {
        EXPECT_EQ(number, numbers_of(layout, 0, ranks).of(tensor));
      }
    });
  }
}

TEST(TensorIndex, ServesAnyListAndWorld) {
  const std::vector<Counts> lists = {
      {}, {0}, {1}, {5}, {0, 0, 1, 0}, {1, 1, 1, 1, 1, 1, 1}, {100}, {1, 50, 1, 0, 50, 3}};
  for (const Counts& counts : lists) {
    for (const int ranks : {1, 2, 3, 4, 7, 16}) expect_numbers(counts, ranks);
  }
}

}  // namespace
}  // namespace adasum::algorithms
