// SPDX-License-Identifier: Apache-2.0
#include "cli/console/counted.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

TEST(Grouped, HasACommaBeforeEachThreeDigits) {
  const std::pair<std::size_t, const char*> cases[] = {
      {0, "0"}, {999, "999"}, {1000, "1,000"}, {4093, "4,093"}, {123456, "123,456"}, {1234567, "1,234,567"}};
  for (const auto& [number, text] : cases) EXPECT_EQ(grouped(number), text);
}

TEST(Counted, IsSingularOfOneAlone) {
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(2, "node"), "2 nodes");
  EXPECT_EQ(counted(4093, "server"), "4,093 servers");
}

}  // namespace
}  // namespace adarun::cli
