// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/image.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace adarun::trainer {
namespace {

/// Brightness rises by 10 a column.
Image ramp(int rows, int columns) {
  Image image = Image::black(rows, columns, 1);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      image.at(row, column, 0) = static_cast<std::uint8_t>(10 * column);
  }
  return image;
}

TEST(Resample, LeavesAnImageOfItsOwnSizeAsItIs) {
  const Image image = ramp(3, 20);
  EXPECT_EQ(resample(image, {0, 0, 3, 20}, 3, 20), image);
}

TEST(Resample, CutsOutABox) {
  const Image part = resample(ramp(6, 20), {1, 5, 2, 3}, 2, 3);
  EXPECT_EQ(part.pixels, (std::vector<std::uint8_t>{50, 60, 70, 50, 60, 70}));
}

TEST(Resample, PutsPixelsBetweenPixelsWhereItGrows) {
  const Image wide = resample(ramp(1, 4), {0, 0, 1, 4}, 1, 8);
  // Centres of the halves of pixels 1 and 2 are at 1/4 and 3/4 between centres.
  EXPECT_EQ(wide.at(0, 3, 0), 13);
  EXPECT_EQ(wide.at(0, 4, 0), 18);
}

TEST(Resample, AveragesWhatAPixelCoversWhereItShrinks) {
  Image stripes = Image::black(8, 64, 1);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 64; column += 2) stripes.at(row, column, 0) = 200;
  }
  const Image small = resample(stripes, {0, 0, 8, 64}, 2, 8);
  for (const std::uint8_t pixel : small.pixels) EXPECT_NEAR(pixel, 100, 4);
}

TEST(RandomPart, LiesWithinAndHasItsShape) {
  const ImageSize image{300, 400};
  Random random(3);
  double least = 1;
  double most = 0;
  for (int i = 0; i < 2000; ++i) {
    const CropBox box = random_part(image, random);
    ASSERT_GE(box.top, 0);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.top + box.rows, 300);
    ASSERT_LE(box.left + box.columns, 400);
    const double ratio = box.columns / box.rows;
    ASSERT_GT(ratio, 0.74);
    ASSERT_LT(ratio, 1.35);
    const double area = box.rows * box.columns / (300 * 400);
    least = std::min(least, area);
    most = std::max(most, area);
  }
  // Up to 100 % is drawn; more than the largest 3:4 part seldom fits.
  EXPECT_NEAR(least, 0.08, 0.01);
  EXPECT_GT(most, 0.9);
}

TEST(MiddlePart, IsSevenEighthsOfTheShorterSide) {
  const CropBox box = middle_part({256, 340});
  EXPECT_DOUBLE_EQ(box.rows, 224);
  EXPECT_DOUBLE_EQ(box.columns, 224);
  EXPECT_DOUBLE_EQ(box.top, 16);
  EXPECT_DOUBLE_EQ(box.left, 58);
}

TEST(WriteNormalized, PutsChannelsOneAfterTheOtherAndMirrors) {
  const Image image{1, 2, 3, {0, 51, 102, 153, 204, 255}};
  const Normalization by{{0, 0.5, 1}, {1, 2, 0.5}};
  std::vector<float> values(6);
  write_normalized(image, Mirrored::no, by, values);
  const float wanted[] = {0, 0.6F, -0.15F, 0.15F, -1.2F, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(values[i], wanted[i]) << i;
  write_normalized(image, Mirrored::yes, by, values);
  const float mirrored[] = {0.6F, 0, 0.15F, -0.15F, 0, -1.2F};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(values[i], mirrored[i]) << i;
}

}  // namespace
}  // namespace adarun::trainer
