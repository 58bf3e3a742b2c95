// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/time_limit.h"

#include <gtest/gtest.h>

#include <utility>

#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

TEST(TimeLimit, IsReadInTheFormsOfSlurm) {
  const std::pair<const char*, long> cases[] = {
      {"0", 0},          {"90", 90 * 60},      {"1:30", 90},     {"2:00:00", 7200}, {"1-0", 24 * 3600},
      {"1-2:30", 95400}, {"1-2:30:05", 95405}, {"00:00:61", 61}, {"010", 600},      {"10000-0", 864'000'000}};
  for (const auto& [text, seconds] : cases) {
    const auto limit = parse_time_limit(text);
    ASSERT_TRUE(limit) << text;
    EXPECT_EQ(limit->count(), seconds) << text;
    EXPECT_EQ(check_time_limit(text), "");
  }
}

TEST(TimeLimit, IsRefusedInOthers) {
  for (const char* text : {"", "2 h", "2h", ":30", "1:", "1:2:3:4", "-1", "1-", "1-2-3", "1\n2", "1.5",
                           "UNLIMITED", "10000-1", "999999999-0", "9999999999"}) {
    EXPECT_FALSE(parse_time_limit(text)) << text;
    EXPECT_EQ(check_time_limit(text),
              ranktable::in_quotes(text) + ": wanted minutes, or a time such as 2:00:00 or 1-12:00");
  }
}

TEST(TimeLimit, MayBeNoneForSlurm) {
  for (const char* text : {"UNLIMITED", "infinite", "2:00:00"}) EXPECT_EQ(check_slurm_time_limit(text), "");
  for (const char* text : {"", "UNLIMITED 1", "never", "2h"}) EXPECT_NE(check_slurm_time_limit(text), "");
}

TEST(ClockText, HasAllHours) {
  EXPECT_EQ(clock_text(std::chrono::seconds(0)), "0:00:00");
  EXPECT_EQ(clock_text(std::chrono::seconds(95405)), "26:30:05");
}

}  // namespace
}  // namespace adarun::cli
