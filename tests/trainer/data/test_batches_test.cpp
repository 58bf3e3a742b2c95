// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/test_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/data/datasets/grey.h"

namespace adarun::trainer {
namespace {

/// Twenty black images, each of a class of its own.
class Twenty : public Grey {
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
