// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/line_clock.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include "cli/arguments/command.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t midnight_ms = 1'795'219'200'000;  // 2026-11-21 00:00:00 UTC
constexpr std::int64_t noon_ms = midnight_ms + 12 * hour_ms;

class LineClockTest : public testing::Test {
 protected:
  LineClockTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  // The times of a log's lines, one after the other.
  std::vector<std::int64_t> times_of(const std::filesystem::path& log) {
    monitor::LogWatch watch({log});
    watch.find();
    LogLines lines(watch, watch.logs().front().rank, 1024);
    std::vector<std::int64_t> times;
    while (lines.next()) times.push_back(clock_.time_of(lines, log));
    return times;
  }

  test::ScratchFolder scratch_;
  LineClock clock_;
};

TEST_F(LineClockTest, ReadsSinceAsADurationBeforeNow) {
  EXPECT_EQ(parse_since("10m", noon_ms), noon_ms - 10 * minute_ms);
  EXPECT_EQ(parse_since("90", noon_ms), noon_ms - 90'000);
}

TEST_F(LineClockTest, ReadsSinceAsATimeOfToday) {
  EXPECT_EQ(parse_since("01:02", noon_ms), midnight_ms + hour_ms + 2 * minute_ms);
  EXPECT_EQ(parse_since("01:02:03", noon_ms), midnight_ms + hour_ms + 2 * minute_ms + 3000);
}

TEST_F(LineClockTest, ReadsSinceAsADateAndTime) {
  EXPECT_EQ(parse_since("2026-11-21", 0), midnight_ms);
  EXPECT_EQ(parse_since("2026-11-21 12:00", 0), noon_ms);
  EXPECT_EQ(parse_since("2026-11-21 12:00:01", 0), noon_ms + 1000);
  EXPECT_EQ(parse_since("2026-11-21T12:00:00Z", 0), noon_ms);
  EXPECT_EQ(parse_since("2026-11-21 12:00:00+01:00", 0), noon_ms - hour_ms);
}

TEST_F(LineClockTest, ReadsSinceAsNoOtherText) {
  for (const char* text : {"", "yesterday", "25:00", "2026-11", "2026-13-01", "21.11.2026"})
    EXPECT_EQ(parse_since(text, noon_ms), std::nullopt) << text;
}

TEST_F(LineClockTest, GivesALineWithoutATimeThatOfTheOneBefore) {
  const auto log = scratch_.write("worker_0.log", "begin\n2026-11-21 12:00:00 a\nb\n2026-11-21 12:00:01 c\n");
  EXPECT_EQ(times_of(log), (std::vector<std::int64_t>{0, noon_ms, noon_ms, noon_ms + 1000}));
}

TEST_F(LineClockTest, KnowsWhenTheLinesOfACompressedLogArrived) {
  const auto log = scratch_.write("worker_0.log.gz", monitor::packed("a\nb\n"));
  scratch_.write("line_times.txt", "adarun line times 1 -\n1000 0:2\n2000 0:2\n");
  EXPECT_EQ(times_of(log), (std::vector<std::int64_t>{1000, 2000}));
}

TEST_F(LineClockTest, KnowsWhenTheLastLinesOfACompressedLogWithALimitArrived) {
  const auto log = scratch_.write("worker_0.log.gz", monitor::packed("a\nb\n"));
  scratch_.write("line_times.txt", "adarun line times 1 2\n1000 0:2\n2000 0:100\n3000 0:2\n");
  EXPECT_EQ(times_of(log), (std::vector<std::int64_t>{1000, 3000}));
}

TEST_F(LineClockTest, ReadsTheTimesThatACompressedLogHas) {
  EXPECT_TRUE(
      clock_.tells({0, scratch_.write("worker_0.log.gz", monitor::packed("2026-11-21 12:00:00 y\n"))}));
  EXPECT_FALSE(clock_.tells({1, scratch_.write("worker_1.log.gz", monitor::packed("loss 2.3\n"))}));
}

TEST_F(LineClockTest, TellsNothingOfALogWithoutTimes) {
  const monitor::LogFile log{0, scratch_.write("worker_0.log", "loss 2.3\n")};
  EXPECT_FALSE(clock_.tells(log));
  EXPECT_THROW(clock_.require_times(log), Quit);
}

TEST_F(LineClockTest, TellsTheTimesOfALogThatHasThemAndOfAnEmptyOne) {
  EXPECT_TRUE(clock_.tells({0, scratch_.write("worker_0.log", "x\n2026-11-21 12:00:00 y\n")}));
  EXPECT_TRUE(clock_.tells({1, scratch_.write("worker_1.log", "")}));
}

}  // namespace
}  // namespace adarun::cli
