// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/digits.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <vector>

#include "trainer/data/batch.h"

namespace adarun::trainer {
namespace {

using Pixels = std::array<std::uint8_t, image_pixels>;

Pixels draw(const GrayscaleDataset& data, std::size_t index) {
  Pixels pixels{};
  data.image(index, pixels);
  return pixels;
}

TEST(Digits, AreTheSameFromTheSameSeedInAnyOrder) {
  const Digits once(DatasetPart::train, 7);
  const Digits again(DatasetPart::train, 7);
  const Pixels third = draw(once, 3);
  EXPECT_EQ(draw(again, 9), draw(once, 9));
  EXPECT_EQ(draw(again, 3), third);
  EXPECT_EQ(again.label(3), once.label(3));
}

TEST(Digits, DifferBetweenSeedsPartsAndIndices) {
  std::set<Pixels> seen;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const DatasetPart part : {DatasetPart::train, DatasetPart::test}) {
      for (const std::size_t index : {0U, 1U, 2U}) seen.insert(draw(Digits(part, seed), index));
    }
  }
  EXPECT_EQ(seen.size(), 12U);
}

TEST(Digits, ComeAboutEquallyOften) {
  const Digits data(DatasetPart::train, 1);
  std::array<int, 10> counts{};
  for (std::size_t i = 0; i < data.size(); ++i) ++counts.at(static_cast<std::size_t>(data.label(i)));
  // 1638 each; the standard deviation of a count is 38, and six of them allow enough.
  for (const int count : counts) EXPECT_NEAR(count, 1638, 6 * 38);
}

TEST(Digits, ShowInkInTheMiddleAndLittleAtTheEdge) {
  const Digits data(DatasetPart::train, 1);
  double middle = 0;
  double edge = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const Pixels pixels = draw(data, i);
    for (std::size_t p = 0; p < image_pixels; ++p) {
      const std::size_t row = p / image_side;
      const std::size_t column = p % image_side;
      if (row < 2 || row >= 26 || column < 2 || column >= 26) edge += pixels[p];
      if (row >= 8 && row < 20 && column >= 8 && column < 20) middle += pixels[p];
    }
  }
  EXPECT_GT(middle / 144, 3 * edge / 208);
}

TEST(Batch, CentresNormalizedImagesInABlackSquare) {
  const Digits data(DatasetPart::test, 5);
  const std::vector<std::uint32_t> indices = {4, 2};
  Batch batch;
  fill(batch, data, indices, 32);
  ASSERT_EQ(batch.images.size(), 2U * 32 * 32);
  EXPECT_EQ(batch.labels, (std::vector<std::int64_t>{data.label(4), data.label(2)}));
  const auto normal = [](int value) { return (value / 255.0 - 0.1307) / 0.3081; };
  const Pixels second = draw(data, 2);
  const float* const square = batch.images.data() + 32 * 32;
  EXPECT_FLOAT_EQ(square[0], static_cast<float>(normal(0)));
  EXPECT_FLOAT_EQ(square[32 * 32 - 1], static_cast<float>(normal(0)));
  for (std::size_t p = 0; p < image_pixels; ++p) {
    EXPECT_FLOAT_EQ(square[(p / 28 + 2) * 32 + p % 28 + 2], static_cast<float>(normal(second[p]))) << p;
  }
}

}  // namespace
}  // namespace adarun::trainer
