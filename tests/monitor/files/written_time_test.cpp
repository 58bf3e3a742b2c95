// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/written_time.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

namespace adarun::monitor {
namespace {

// 2026-11-21 01:02:03 UTC.
constexpr std::int64_t then_ms = 1'795'222'923'000;

class WrittenTimeTest : public testing::Test {
 protected:
  WrittenTimeTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  WrittenTime time_;
};

TEST_F(WrittenTimeTest, ReadsTheTimesThatProgramsWrite) {
  const std::pair<const char*, int> cases[] = {
      {"2026-11-21 01:02:03 text", 0},
      {"2026-11-21T01:02:03Z text", 0},
      {"[2026-11-21 01:02:03,456] INFO: text", 456},
      {"2026-11-21 01:02:03.4 text", 400},
      {"2026-11-21 01:02:03.456789 text", 456},
      {"2026/11/21 01:02:03 text", 0},
      {"[WARNING] ME(22:139,MainProcess):2026-11-21-01:02:03.456.789 [mindspore/x.py:1] text", 456},
      {"2026-11-21T02:02:03+01:00 text", 0},
      {"2026-11-20T20:32:03.5-0430 text", 500},
      {"rank 3: took 00:01:02, 2026-11-21 01:02:03", 0},
  };
  for (const auto& [line, ms] : cases) EXPECT_EQ(time_.in(line), then_ms + ms) << line;
}

TEST_F(WrittenTimeTest, FindsNoneWhereThereIsNone) {
  const char* const cases[] = {
      "",
      "epoch: 1 step: 100, loss is 2.3",
      "2026-11-21",
      "2026-11-21 01:02",
      "2026-11/21 01:02:03",
      "2026-13-21 01:02:03",
      "2026-11-21 24:02:03",
      "2026-11-21 01:60:03",
      "2026-11-21x01:02:03",
      "1:2:3:4:5:6:7:8:9:10:11:12:13",
  };
  for (const char* line : cases) EXPECT_EQ(time_.in(line), std::nullopt) << line;
  EXPECT_EQ(time_.in(std::string(200, ' ') + "2026-11-21 01:02:03"), std::nullopt);
}

TEST_F(WrittenTimeTest, KnowsTheLocalTime) {
  setenv("TZ", "CET-1", 1);
  tzset();
  EXPECT_EQ(time_.in("2026-11-21 02:02:03"), then_ms);
  EXPECT_EQ(time_.in("2026-11-21 02:03:04"), then_ms + 61'000);
}

}  // namespace
}  // namespace adarun::monitor
