// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/error.h"
#include "trainer/base/random.h"
#include "trainer/data/datasets/image_folder.h"
#include "trainer/data/datasets/mnist.h"
#include "trainer/data/datasets/wrappers.h"

namespace adarun::trainer {
namespace {

/// Black images with their indices as labels.
class Numbered : public GrayscaleDataset {
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

namespace fs = std::filesystem;
using testing_data::draw_folder;
using testing_data::files_below;
using testing_data::refusal;

TEST(SkipCorruptDataset, TakesTheNextForACorruptOneUpToItsLimit) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  const std::vector<fs::path> files = files_below(folder.path());
  for (const std::size_t i : {3U, 4U, 19U}) fs::resize_file(files[i], 100);
  SkipCorruptDataset data(std::make_unique<ImageFolder>(folder.path(), DatasetPart::train), 2);
  std::vector<float> got(std::size_t{3} * 8 * 8);
  std::vector<float> wanted(got.size());
  data.sample(3, {8}, got);
  data.sample(5, {8}, wanted);
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(data.label(3), data.label(5));
  const std::vector<std::string> findings = data.take_findings();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_TRUE(findings[1].starts_with("skipped: " + files[4].string() + ": Premature end")) << findings[1];
  EXPECT_TRUE(findings[1].ends_with("(2 of at most 2)")) << findings[1];
  EXPECT_TRUE(data.take_findings().empty());
  const std::string third = refusal([&] { data.sample(19, {8}, got); });
  EXPECT_TRUE(third.starts_with(files[19].string())) << third;
  EXPECT_TRUE(third.ends_with("(after 2 that were skipped, see --skip-corrupt)")) << third;
}

// A JPEG that is cut off behind its header has drawn its part before it fails.
TEST(SkipCorruptDataset, CutsTheSamePartOutWhetherOrNotItKnowsTheCorruptOne) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  const std::vector<fs::path> files = files_below(folder.path());
  fs::resize_file(files[3], fs::file_size(files[3]) * 9 / 10);
  const SkipCorruptDataset data(std::make_unique<ImageFolder>(folder.path(), DatasetPart::train), 1);
  const auto sample = [&] {
    std::vector<float> values(std::size_t{3} * 8 * 8);
    Random random(1);
    data.sample(3, {8, &random}, values);
    return values;
  };
  const std::vector<float> first = sample();
  EXPECT_EQ(sample(), first);
}

}  // namespace

}  // namespace adarun::trainer
