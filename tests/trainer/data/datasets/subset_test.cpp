// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/subset.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trainer/base/error.h"
#include "trainer/data/datasets/grey.h"

namespace adarun::trainer {
namespace {

/// Black images with their indices as labels.
class Numbered : public Grey {
 public:
  explicit Numbered(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  int label(std::size_t index) const override { return static_cast<int>(index); }
  void image(std::size_t index, std::span<std::uint8_t> pixels) const override {
    std::ranges::fill(pixels, static_cast<std::uint8_t>(index));
  }

 private:
  std::size_t size_;
};

std::vector<int> labels(std::size_t size, std::size_t held_out, DatasetPart part) {
  const auto dataset = hold_out(std::make_unique<Numbered>(size), held_out, part);
  std::vector<int> all;
  for (std::size_t i = 0; i < dataset->size(); ++i) all.push_back(dataset->label(i));
  return all;
}

TEST(HoldOut, PartsTheTrainingSamples) {
  EXPECT_EQ(labels(10, 3, DatasetPart::test), (std::vector<int>{3, 6, 9}));
  EXPECT_EQ(labels(10, 3, DatasetPart::train), (std::vector<int>{0, 1, 2, 4, 5, 7, 8}));
  EXPECT_EQ(labels(4, 0, DatasetPart::test), std::vector<int>{});
}

TEST(HoldOut, GivesEachSampleItsOwnImage) {
  const auto dataset = hold_out(std::make_unique<Numbered>(10), 3, DatasetPart::test);
  EXPECT_EQ(dataset->picture(1).pixels[0], 6);
  std::vector<float> values(image_pixels);
  dataset->sample(1, {image_side}, values);
  EXPECT_FLOAT_EQ(values[0], static_cast<float>((6 / 255.0 - 0.1307) / 0.3081));
}

TEST(HoldOut, RefusesToLeaveNothing) {
  EXPECT_THROW(labels(3, 3, DatasetPart::train), Error);
  EXPECT_NO_THROW(labels(3, 2, DatasetPart::train));
}

}  // namespace
}  // namespace adarun::trainer
