// SPDX-License-Identifier: Apache-2.0
#include "base/describe.h"

#include <gtest/gtest.h>

#include <limits>

namespace adarun::base {
namespace {

using namespace std::chrono_literals;

TEST(Describe, CutsTimesToTenthsOfASecond) {
  const std::pair<std::chrono::milliseconds, const char*> cases[] = {
      {0ms, "0 ms"},   {200ms, "200 ms"}, {999ms, "999 ms"}, {1s, "1 s"},
      {1099ms, "1 s"}, {2399ms, "2.3 s"}, {10s, "10 s"},     {2h, "7200 s"}};
  for (const auto& [time, text] : cases) EXPECT_EQ(describe(time), text);
}

TEST(Describe, CutsSizesToTenthsInStepsOfAThousand) {
  const std::pair<std::uint64_t, const char*> cases[] = {{0, "0 bytes"},
                                                         {900, "900 bytes"},
                                                         {999, "999 bytes"},
                                                         {1000, "1 kB"},
                                                         {1999, "1.9 kB"},
                                                         {64'500, "64.5 kB"},
                                                         {999'999, "999.9 kB"},
                                                         {1'000'000, "1 MB"},
                                                         {1'234'567'890, "1.2 GB"},
                                                         {5'000'000'000'000, "5 TB"},
                                                         {7'000'000'000'000'000, "7 PB"}};
  for (const auto& [size, text] : cases) {
    EXPECT_EQ(describe_bytes(size), text);
    EXPECT_EQ(describe_bytes(static_cast<double>(size)), text);
  }
}

TEST(Describe, TellsOfSizesThatNoNumberOfBytesHas) {
  EXPECT_EQ(describe_bytes(std::numeric_limits<std::uint64_t>::max()), "18.4 EB");
  EXPECT_EQ(describe_bytes(-1.5), "0 bytes");
  EXPECT_EQ(describe_bytes(3e19), "30 EB");
  EXPECT_EQ(describe_bytes(std::numeric_limits<double>::infinity()), "1000 EB");
  EXPECT_EQ(describe_bytes(std::numeric_limits<double>::quiet_NaN()), "0 bytes");
}

TEST(Describe, TellsTwoSizesApart) {
  using Texts = std::pair<std::string, std::string>;
  EXPECT_EQ(describe_too_many_bytes(9e6, 8e6), (Texts{"9 MB", "8 MB"}));
  EXPECT_EQ(describe_too_many_bytes(8'040'000.5, 8e6), (Texts{"8040001 bytes", "8000000 bytes"}));
  EXPECT_EQ(describe_too_many_bytes(0.5, -1e6), (Texts{"1 bytes", "0 bytes"}));
  EXPECT_EQ(describe_too_many_bytes(2e21, 1e21), (Texts{"1000 EB", "1000 EB"}));
}

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

TEST(Elapsed, HasTheTwoLargestUnits) {
  using namespace std::chrono_literals;
  const std::pair<std::chrono::milliseconds, const char*> cases[] = {
      {0ms, "0 ms"},   {2300ms, "2.3 s"},        {59999ms, "59.9 s"},
      {1min, "1 min"}, {1min + 3s, "1 min 3 s"}, {2h + 5min + 59s, "2 h 5 min"},
      {24h, "1 d"},    {76h + 59min, "3 d 4 h"}};
  for (const auto& [time, text] : cases) EXPECT_EQ(elapsed(time), text);
}

}  // namespace
}  // namespace adarun::base
