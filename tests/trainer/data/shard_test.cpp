// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/shard.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace adarun::trainer {
namespace {

using Indices = std::vector<std::uint32_t>;

TEST(Shard, HasTheStepsOfTheTutorialsLog) {
  EXPECT_EQ(samples_per_shard(1281167, 16), 80073U);
  EXPECT_EQ(steps_per_epoch(1281167, 16, 256), 312U);
  EXPECT_EQ(steps_per_epoch(60000, 16, 32), 117U);
  EXPECT_EQ(steps_per_epoch(10, 4, 4), 0U);
}

TEST(Shard, TakesEveryCountthSampleAndWrapsAround) {
  const Indices order = {5, 3, 0, 4, 1, 2, 6};
  EXPECT_EQ(shard_of(order, {0, 3}), (Indices{5, 4, 6}));
  EXPECT_EQ(shard_of(order, {1, 3}), (Indices{3, 1, 5}));
  EXPECT_EQ(shard_of(order, {2, 3}), (Indices{0, 2, 3}));
  EXPECT_EQ(shard_of({7}, {3, 4}), (Indices{7}));
  EXPECT_EQ(shard_of(order, {0, 1}), order);
}

TEST(Shard, ShufflesEachEpochAnewFromTheSeed) {
  const Indices first = epoch_order(1000, 1, 1);
  EXPECT_EQ(first, epoch_order(1000, 1, 1));
  EXPECT_NE(first, epoch_order(1000, 1, 2));
  EXPECT_NE(first, epoch_order(1000, 2, 1));
  EXPECT_FALSE(std::ranges::is_sorted(first));
  Indices sorted = first;
  std::ranges::sort(sorted);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(sorted[i], i);
}

/// The method of the page docs/trainer.md, computed by a program in Python.
TEST(Shard, ShufflesAsThePageSays) {
  EXPECT_EQ(epoch_order(10, 1, 1), (Indices{5, 6, 3, 8, 4, 9, 2, 7, 1, 0}));
  EXPECT_EQ(epoch_order(10, 1, 2), (Indices{2, 4, 1, 5, 7, 6, 0, 8, 3, 9}));
  EXPECT_EQ(epoch_order(10, 7, 1), (Indices{1, 0, 9, 2, 5, 4, 3, 7, 6, 8}));
}

TEST(Shard, MeasuresEachTestSampleOnce) {
  for (const std::size_t samples : {0U, 1U, 5U, 16U, 10000U}) {
    Indices all;
    for (int id = 0; id < 16; ++id) {
      const Indices mine = test_shard(samples, {id, 16});
      all.insert(all.end(), mine.begin(), mine.end());
    }
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), samples);
    EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
    EXPECT_TRUE(all.empty() || all.back() == samples - 1);
  }
}

}  // namespace
}  // namespace adarun::trainer
