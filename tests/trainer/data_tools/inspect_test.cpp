// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/inspect.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/trainer/data_tools/drawn_folder.h"
#include "trainer/data/datasets/image_folder.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::draw_folder;
using testing_data::files_below;

TEST(Inspect, CountsWhatThereIs) {
  const test::ScratchFolder folder;
  draw_folder(folder);
  fs::resize_file(files_below(folder.path()).front(), 60);
  const data_tools::DatasetSummary summary =
      data_tools::inspect(ImageFolder(folder.path(), DatasetPart::train));
  EXPECT_EQ(summary.samples, 20U);
  EXPECT_EQ(summary.corrupt.size(), 1U);
  EXPECT_EQ(std::accumulate(summary.per_class.begin(), summary.per_class.end(), 0U), 19U);
  EXPECT_GE(summary.fewest_rows, 30);
  EXPECT_LE(summary.most_columns, 60);
  EXPECT_GT(summary.mean[1], 0.1);
  EXPECT_GT(summary.deviation[1], 0.05);
}

}  // namespace
}  // namespace adarun::trainer
