// SPDX-License-Identifier: Apache-2.0
#include "cli/console/elapsed.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

TEST(Elapsed, HasTheTwoLargestUnits) {
  using namespace std::chrono_literals;
  const std::pair<std::chrono::milliseconds, const char*> cases[] = {
      {0ms, "0 ms"},   {2300ms, "2.3 s"},        {59999ms, "59.9 s"},
      {1min, "1 min"}, {1min + 3s, "1 min 3 s"}, {2h + 5min + 59s, "2 h 5 min"},
      {24h, "1 d"},    {76h + 59min, "3 d 4 h"}};
  for (const auto& [time, text] : cases) EXPECT_EQ(elapsed(time), text);
}

}  // namespace
}  // namespace adarun::cli
