// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/mnist.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/scratch_folder.h"
#include "tests/trainer/data/datasets/idx_header.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

using testing_data::idx_header;

std::string images(std::uint32_t count) {
  std::string bytes = idx_header({count, 28, 28});
  for (std::uint32_t i = 0; i < count; ++i) bytes += std::string(image_pixels, static_cast<char>('a' + i));
  return bytes;
}

std::string labels(const std::string& values) {
  return idx_header({static_cast<std::uint32_t>(values.size())}) + values;
}

TEST(Mnist, ReadsAFlatFolder) {
  const test::ScratchFolder folder;
  folder.write("train-images-idx3-ubyte", images(2));
  folder.write("train-labels-idx1-ubyte", labels("\7\3"));
  const Mnist data(folder.path(), DatasetPart::train);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data.label(0), 7);
  EXPECT_EQ(data.label(1), 3);
  std::array<std::uint8_t, image_pixels> pixels{};
  data.image(1, pixels);
  EXPECT_EQ(pixels.front(), 'b');
  EXPECT_EQ(pixels.back(), 'b');
}

TEST(Mnist, ReadsFoldersTrainAndTest) {
  const test::ScratchFolder folder;
  folder.write("train/train-images-idx3-ubyte.gz", images(2));
  folder.write("train/train-labels-idx1-ubyte.gz", labels("\1\2"));
  folder.write("test/t10k-images-idx3-ubyte.gz", images(1));
  folder.write("test/t10k-labels-idx1-ubyte.gz", labels("\5"));
  EXPECT_EQ(Mnist(folder.path(), DatasetPart::train).size(), 2U);
  EXPECT_EQ(Mnist(folder.path(), DatasetPart::test).label(0), 5);
}

TEST(Mnist, RefusesFilesThatAreMissingOrDoNotFit) {
  struct Case {
    std::string images, labels, reason;
  };
  const Case cases[] = {
      {"", labels("\1"), "has no train-images-idx3-ubyte"},
      {images(1), "", "has no train-labels-idx1-ubyte"},
      {images(2), labels("\1"), "wanted 2, one label for each image"},
      {images(1), labels("\x0A"), "label 10, wanted 0 to 9"},
      {images(0), labels(""), "holds no image"},
      {labels("\1"), labels("\1"), "shape 1, wanted Nx28x28"},
      {idx_header({1, 2, 2}) + "abcd", labels("\1"), "shape 1x2x2, wanted Nx28x28"},
  };
  for (const Case& wrong : cases) {
    const test::ScratchFolder folder;
    if (!wrong.images.empty()) folder.write("train-images-idx3-ubyte", wrong.images);
    if (!wrong.labels.empty()) folder.write("train-labels-idx1-ubyte", wrong.labels);
    try {
      const Mnist data(folder.path(), DatasetPart::train);
      FAIL() << wrong.reason << ": accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.reason), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(folder.path().string()), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace adarun::trainer
