// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <vector>

#include "tests/trainer/refusal.h"
#include "trainer/base/error.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/loader.h"

namespace adarun::trainer {
namespace {

/// Digits that are darkened at random; one of them cannot be read.
class Shaded : public Digits {
 public:
  explicit Shaded(std::size_t unreadable = Digits::test_size)
      : Digits(DatasetPart::test, 3), unreadable_(unreadable) {}
  void sample(std::size_t index, const View& view, std::span<float> values) const override {
    if (index == unreadable_) throw Error("it is unreadable");
    Digits::sample(index, view, values);
    const auto shade = static_cast<float>(view.augment->uniform(0, 1));
    for (float& value : values) value *= shade;
  }

 private:
  std::size_t unreadable_;
};

TEST(Loader, GivesTheShardOfTheEpochInBatches) {
  const Digits data(DatasetPart::test, 3);
  Loader loader(data, {1, 4}, {100, 28, 9});
  EXPECT_EQ(loader.steps(), 5);
  loader.start(2, 3);
  const std::vector<std::uint32_t> mine = shard_of(epoch_order(data.size(), 9, 2), {1, 4});
  const Batch& batch = loader.next();
  ASSERT_EQ(batch.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(batch.labels[i], data.label(mine[200 + i]));
}

TEST(Loader, ContinuesAfterTheStepsOfOtherRanks) {
  const Digits data(DatasetPart::test, 3);
  for (const int workers : {0, 2}) {
    Loader loader(data, {1, 4}, {100, 28, 9, workers});
    const EarlierSteps earlier = {3, 600};
    EXPECT_EQ(loader.steps(earlier), 3 + static_cast<int>((data.size() - 600) / 400));
    EXPECT_EQ(loader.equal_steps(earlier), 1);
    loader.start(2, 5, earlier);
    const std::vector<std::uint32_t> mine = shard_of(epoch_order(data.size(), 9, 2), {1, 4}, earlier);
    const Batch& batch = loader.next();
    ASSERT_EQ(batch.size(), 100U);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(batch.labels[i], data.label(mine[100 + i]));
  }
}

TEST(Loader, RefusesABatchLargerThanTheShard) {
  const Digits data(DatasetPart::test, 3);
  EXPECT_THROW(Loader(data, {0, 16}, {129, 28, 1}), Error);
  EXPECT_NO_THROW(Loader(data, {0, 16}, {128, 28, 1}));
}

TEST(Loader, NamesTheBatchAndTheSamplesOfARankWhereSeveralShareAShard) {
  const Digits data(DatasetPart::test, 3);
  const auto refused = [&](std::size_t of_rank, int shards, int sharers) {
    return testing_data::refusal([&] {
      Loader(data, {0, shards}, {of_rank * static_cast<std::size_t>(sharers), 28, 1, 0, sharers});
    });
  };
  EXPECT_EQ(refused(129, 16, 1), "--batch-size 129: more than the 128 samples that each of 16 ranks has");
  EXPECT_EQ(refused(129, 4, 4), "--batch-size 129: more than the 128 samples that each of 16 ranks has");
  EXPECT_EQ(refused(128, 4, 4), "accepted");
}

/// All images of two epochs; the second starts in its middle, after the first was left in its own.
std::vector<float> two_epochs(int workers) {
  const Shaded data;
  Loader loader(data, {0, 4}, {50, 28, 5, workers});
  std::vector<float> all;
  const auto take = [&](int batches) {
    for (int i = 0; i < batches; ++i) {
      const Batch& batch = loader.next();
      all.insert(all.end(), batch.images.begin(), batch.images.end());
    }
  };
  loader.start(1);
  take(4);
  loader.start(2, 7);
  take(loader.steps() - 6);
  return all;
}

TEST(Loader, GivesTheSameWithAnyNumberOfWorkers) {
  const std::vector<float> wanted = two_epochs(0);
  for (const int workers : {1, 3}) EXPECT_TRUE(two_epochs(workers) == wanted) << workers;
}

TEST(Loader, AugmentsAnewInEachEpoch) {
  const Shaded data;
  Loader loader(data, {0, 1}, {Digits::test_size, 28, 5});
  const auto sum_of_epoch = [&](int epoch) {
    loader.start(epoch);
    double sum = 0;
    for (const float value : loader.next().images) sum += value;
    return sum;
  };
  const double first = sum_of_epoch(1);
  EXPECT_NE(sum_of_epoch(2), first);
  EXPECT_EQ(sum_of_epoch(1), first);
}

TEST(Loader, TellsWhatItsWorkersCouldNotRead) {
  const Shaded data(shard_of(epoch_order(Digits::test_size, 5, 1), {0, 1})[70]);
  Loader loader(data, {0, 1}, {50, 28, 5, 2});
  loader.start(1);
  EXPECT_NO_THROW(loader.next());
  EXPECT_THROW(loader.next(), Error);
}

/// Twenty black images, each of a class of its own.
class Twenty : public GrayscaleDataset {
 public:
  std::size_t size() const override { return 20; }
  int label(std::size_t index) const override { return static_cast<int>(index); }
  void image(std::size_t /*index*/, std::span<std::uint8_t> pixels) const override {
    std::ranges::fill(pixels, std::uint8_t{0});
  }
};

/// Whose files are on a file system that does not answer.
class Unanswered : public Twenty {
 public:
  void image(std::size_t /*index*/, std::span<std::uint8_t> /*pixels*/) const override {
    std::promise<void>().get_future().wait_for(std::chrono::minutes(1));
  }
};

TEST(TestBatches, HaveTheSameSamplesWithAnyNumberOfWorkers) {
  const Twenty dataset;
  for (const int workers : {0, 1, 3, 99}) {
    TestBatches batches(dataset, {3, 5, 7, 9, 11, 13, 15}, 5, {3, 28, workers});
    ASSERT_EQ(batches.count(), 3);
    std::vector<std::vector<std::int64_t>> labels;
    for (int batch = 0; batch < 3; ++batch) labels.push_back(batches.next().labels);
    EXPECT_EQ(labels, (std::vector<std::vector<std::int64_t>>{{3, 5, 7}, {9, 11, -1}, {-1}})) << workers;
  }
  EXPECT_EQ(TestBatches(dataset, {}, 0, {3, 28, 2}).count(), 0);
}

TEST(TestBatches, EndTheProcessThatWaitsForOneTooLong) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto take = [] {
    const Unanswered dataset;
    TestBatches batches(dataset, {0}, 1, {1, 28, 1, std::chrono::seconds(1)});
    batches.next();
  };
  EXPECT_EXIT(take(), testing::ExitedWithCode(static_cast<int>(Exit::failed)),
              "^adarun-trainer: test batch 1: not read within 1 s\n$");
}

}  // namespace

}  // namespace adarun::trainer
