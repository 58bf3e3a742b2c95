// SPDX-License-Identifier: Apache-2.0
#include "cli/console/terminal_line.h"

#include <gtest/gtest.h>

#include <limits>

namespace adarun::cli {
namespace {

TEST(ProgressBar, FillsFromTheLeft) {
  EXPECT_EQ(progress_bar(0, 8), "[....................]");
  EXPECT_EQ(progress_bar(2, 8), "[#####...............]");
  EXPECT_EQ(progress_bar(8, 8), "[####################]");
}

TEST(ProgressBar, IsFullOnlyWhereAllIsDone) {
  EXPECT_EQ(progress_bar(999, 1000), "[###################.]");
}

TEST(ProgressBar, IsFullWhereThereIsNothingToDoOrMoreWasDone) {
  EXPECT_EQ(progress_bar(0, 0), "[####################]");
  EXPECT_EQ(progress_bar(9, 8), "[####################]");
}

TEST(ProgressBar, TakesTheLargestNumbers) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(progress_bar(most / 2, most), "[##########..........]");
}

}  // namespace
}  // namespace adarun::cli
