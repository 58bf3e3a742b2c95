// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/tolerant.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/random.h"
#include "trainer/data/datasets/image_folder.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::draw_folder;
using testing_data::files_below;
using testing_data::refusal;

TEST(Tolerant, TakesTheNextForACorruptOneUpToItsLimit) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  const std::vector<fs::path> files = files_below(folder.path());
  for (const std::size_t i : {3U, 4U, 19U}) fs::resize_file(files[i], 100);
  Tolerant data(std::make_unique<ImageFolder>(folder.path(), DatasetPart::train), 2);
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
TEST(Tolerant, CutsTheSamePartOutWhetherOrNotItKnowsTheCorruptOne) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  const std::vector<fs::path> files = files_below(folder.path());
  fs::resize_file(files[3], fs::file_size(files[3]) * 9 / 10);
  const Tolerant data(std::make_unique<ImageFolder>(folder.path(), DatasetPart::train), 1);
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
