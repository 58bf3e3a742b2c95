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

/// The method of the page docs/trainer-data.md, computed by a program in Python.
TEST(Shard, ShufflesAsThePageSays) {
  EXPECT_EQ(epoch_order(10, 1, 1), (Indices{5, 6, 3, 8, 4, 9, 2, 7, 1, 0}));
  EXPECT_EQ(epoch_order(10, 1, 2), (Indices{2, 4, 1, 5, 7, 6, 0, 8, 3, 9}));
  EXPECT_EQ(epoch_order(10, 7, 1), (Indices{1, 0, 9, 2, 5, 4, 3, 7, 6, 8}));
}

/// Trains an epoch of 0, 1, ... by one number of ranks after another, and keeps what they take.
class ChangingRanks {
 public:
  ChangingRanks(std::size_t samples, std::size_t batch_size) : batch_size_(batch_size), order_(samples) {
    for (std::size_t i = 0; i < samples; ++i) order_[i] = static_cast<std::uint32_t>(i);
  }

  /// Steps that `ranks` take in this epoch if they continue to its end.
  int last_step(int ranks) const {
    return static_cast<int>(steps_per_epoch(order_.size(), ranks, batch_size_, earlier_));
  }

  /// Continues with `ranks` to step `last`.
  void train(int ranks, int last) {
    for (int id = 0; id < ranks; ++id) {
      const Indices mine = shard_of(order_, {id, ranks}, earlier_);
      const std::size_t count = static_cast<std::size_t>(last - earlier_.steps) * batch_size_;
      ASSERT_LE(count, mine.size());
      taken.insert(taken.end(), mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(count));
    }
    earlier_ = {last, taken.size()};
  }

  Indices taken;

 private:
  std::size_t batch_size_;
  Indices order_;
  EarlierSteps earlier_;
};

/// Whether they are 0, 1, ... in some order.
bool are_first_ones(Indices samples) {
  std::ranges::sort(samples);
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i] != i) return false;
  return true;
}

TEST(Shard, DividesWhatIsLeftOfAnEpochAmongOtherRanksWithoutUsingASampleTwice) {
  for (const std::size_t samples : {100U, 101U, 127U, 240U}) {
    for (const std::size_t batch_size : {1U, 3U}) {
      for (int before = 1; before <= 9; ++before) {
        const int last = static_cast<int>(steps_per_epoch(samples, before, batch_size));
        for (int changed = 1; changed < last; ++changed) {
          for (int after = 1; after <= 17; after += 2) {
            ChangingRanks epoch(samples, batch_size);
            epoch.train(before, changed);
            epoch.train(after, epoch.last_step(after));
            ASSERT_TRUE(are_first_ones(epoch.taken)) << before << " to " << after << " at " << changed;
            ASSERT_LE(epoch.taken.size(), samples);
            ASSERT_LT(samples - epoch.taken.size(), static_cast<std::size_t>(after) * batch_size)
                << "another step could be taken";
          }
        }
      }
    }
  }
}

TEST(Shard, DividesWhatIsLeftOfAnEpochAnewAtEachChange) {
  ChangingRanks epoch(60000, 32);
  EXPECT_EQ(epoch.last_step(32), 58);
  epoch.train(32, 10);
  EXPECT_EQ(epoch.last_step(16), 10 + (60000 - 10 * 1024) / 512);
  epoch.train(16, 30);
  epoch.train(64, 33);
  epoch.train(8, epoch.last_step(8));
  EXPECT_TRUE(are_first_ones(epoch.taken));
  EXPECT_LT(60000 - epoch.taken.size(), 8U * 32U);
}

TEST(Shard, HasNoStepsLeftWhereTooLittleOfAnEpochIsLeft) {
  EXPECT_EQ(steps_per_epoch(100, 4, 8, {3, 96}), 3U);
  EXPECT_EQ(steps_per_epoch(100, 4, 1, {25, 100}), 25U);
  EXPECT_EQ(steps_per_epoch(100, 7, 1, {15, 105}), 15U) << "ranks that wrapped around";
  EXPECT_TRUE(shard_of({7, 8}, {0, 3}, {1, 4}).empty());
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
