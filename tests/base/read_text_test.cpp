// SPDX-License-Identifier: Apache-2.0
#include "base/read_text.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

TEST(ReadText, ReadsFilesWhoseSizeNothingTells) {
  EXPECT_TRUE(read_text("/proc/self/status").starts_with("Name:"));
}

TEST(ReadText, IsEmptyWhereThereIsNothingToRead) {
  EXPECT_EQ(read_text("/proc/self/none"), "");
  EXPECT_EQ(read_text("/proc/self"), "") << "a folder";
  EXPECT_EQ(read_text("/dev/null"), "");
}

}  // namespace
}  // namespace adarun::base
