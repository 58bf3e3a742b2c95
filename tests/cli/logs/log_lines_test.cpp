// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_lines.h"

#include <gtest/gtest.h>

#include <stdlib.h>
#include <time.h>

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "cli/arguments/command.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

class LogLinesTest : public testing::Test {
 protected:
  explicit LogLinesTest(std::size_t piece_bytes = 64) : piece_bytes_(piece_bytes) {}

  // Starts reading worker_0.log, which contains `text`.
  void open(const std::string& text) {
    scratch_.write("worker_0.log", text);
    watch_.find();
    lines_.emplace(watch_, 0, piece_bytes_);
  }

  std::size_t piece_bytes_;
  test::ScratchFolder scratch_;
  monitor::LogWatch watch_{std::vector<std::filesystem::path>{scratch_.path()}};
  std::optional<LogLines> lines_;
};

TEST_F(LogLinesTest, GoesFromLineToLineWithTheirEnds) {
  open("one\n\nthree\n");
  for (const auto& [line, last_byte] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"one\n", 3}, {"\n", 4}, {"three\n", 10}}) {
    ASSERT_TRUE(lines_->next());
    EXPECT_EQ(lines_->line(), line);
    EXPECT_EQ(lines_->last_byte(), last_byte);
  }
  EXPECT_FALSE(lines_->next());
  EXPECT_FALSE(lines_->rest());
}

TEST_F(LogLinesTest, WaitsForTheEndOfALine) {
  open("half");
  EXPECT_FALSE(lines_->next());
  scratch_.append("worker_0.log", " and half\n");
  ASSERT_TRUE(lines_->next());
  EXPECT_EQ(lines_->line(), "half and half\n");
}

TEST_F(LogLinesTest, GivesTheRestAnEnd) {
  open("one\ntwo");
  EXPECT_TRUE(lines_->next());
  EXPECT_FALSE(lines_->next());
  ASSERT_TRUE(lines_->rest());
  EXPECT_EQ(lines_->line(), "two\n");
  EXPECT_EQ(lines_->last_byte(), 6U);
}

TEST_F(LogLinesTest, EndsAnIncompleteLineWhereAnotherFileTakesItsPlace) {
  open("one\nhalf");
  EXPECT_TRUE(lines_->next());
  EXPECT_FALSE(lines_->next());
  scratch_.write("another", "new\n");
  std::filesystem::rename(scratch_.path() / "another", scratch_.path() / "worker_0.log");
  ASSERT_TRUE(lines_->next());
  EXPECT_EQ(lines_->line(), "half\n");
  ASSERT_TRUE(lines_->next());
  EXPECT_EQ(lines_->line(), "new\n");
  EXPECT_EQ(lines_->last_byte(), 3U);
  EXPECT_FALSE(lines_->next());
}

class ShortLogLinesTest : public LogLinesTest {
 protected:
  ShortLogLinesTest() : LogLinesTest(4) {}
};

TEST_F(ShortLogLinesTest, GivesALongLineInPieces) {
  const std::pair<const char*, const char*> cases[] = {
      {"abcdefg\nh\n", "abcd,+efg,h,"}, {"abcdefgh\n\nh\n", "abcd,+efgh,,h,"}, {"abcd\n", "abcd,"}};
  for (const auto& [text, pieces] : cases) {
    open(text);
    std::string found;
    while (lines_->next())
      found += (lines_->continues() ? "+" : "") +
               std::string(lines_->line().substr(0, lines_->line().size() - 1)) + ",";
    EXPECT_EQ(found, pieces);
    EXPECT_EQ(lines_->last_byte() + 1, std::string(text).size());
  }
}

TEST_F(ShortLogLinesTest, DoesNotTakeAnotherFileForTheRestOfALongLine) {
  open("abcd");
  ASSERT_TRUE(lines_->next());
  scratch_.write("another", "\nnew\n");
  std::filesystem::rename(scratch_.path() / "another", scratch_.path() / "worker_0.log");
  ASSERT_TRUE(lines_->next());
  EXPECT_EQ(lines_->line(), "\n");
  EXPECT_FALSE(lines_->continues());
}

TEST(LineFilter, TakesLinesThatHoldThePatternSomewhere) {
  const struct {
    const char* pattern;
    const char* line;
    bool taken;
  } cases[] = {
      {"NaN", "loss NaN at 3\n", true},
      {"NaN", "loss nan at 3\n", false},
      {"NaN|inf", "loss inf\n", true},
      {"^loss", "a loss\n", false},
      {"[0-9]{3}", "step 12\n", false},
      {"[0-9]{3}", "step 123\n", true},
      {"", "\n", true},
      {"a.c", "abc", true},
      {"a\\.c", "abc", false},
      {"loss is", "epoch, loss is 2\n", true},
      {"2$", "epoch, loss is 2\r\n", true},
      {"^2", "epoch, loss is 2\n", false},
      {"done$", "done\n", true},
      {"done$", "done\r\n", true},
      {"\n", "done\n", false},  // The end of the line is not seen, by plain text neither.
  };
  for (const auto& each : cases)
    EXPECT_EQ(LineFilter(each.pattern).takes(each.line), each.taken) << each.pattern << " in " << each.line;
}

TEST(LineFilter, LooksAtTheLineAloneWithItsNulBytes) {
  EXPECT_FALSE(LineFilter("t(w)o").takes(std::string_view("one\ntwo\n", 4)));
  EXPECT_TRUE(LineFilter("NaN|nan").takes(std::string_view("a\0 nan\n", 7)));
}

TEST(LineFilter, SaysWhatIsWrongWithAPattern) {
  for (const std::string pattern : {"a(b", "[a", "*(", "(["}) try {
      LineFilter{pattern};
      ADD_FAILURE() << pattern;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).rfind("\"" + pattern + "\": no regular expression: ", 0), 0U)
          << error.what();
    }
}

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

TEST_F(LineClockTest, ReadsSinceAsATimeOrADurationBeforeNow) {
  const std::int64_t now_ms = midnight_ms + hour_ms + 2 * minute_ms + 3'456;
  const std::pair<const char*, std::int64_t> cases[] = {
      {"10m", now_ms - 10 * minute_ms},
      {"90", now_ms - 90'000},
      {"0.5s", now_ms - 500},
      {"01:02", now_ms - 3'456},
      {"01:02:03", now_ms - 456},
      {"2026-11-21", midnight_ms},
      {"2026-11-21 12:00", noon_ms},
      {"2026-11-21 12:00:01", noon_ms + 1000},
      {"2026-11-21T01:02:03.456", now_ms},
      {"2026-11-21T12:00:00Z", noon_ms},
      {"2026-11-21 12:00:00+01:00", noon_ms - hour_ms},
      {"2026-11-21T02:02:03+01:00", now_ms - 456},
  };
  for (const auto& [text, time_ms] : cases) EXPECT_EQ(parse_since(text, now_ms), time_ms) << text;
  for (const char* text :
       {"", "yesterday", "10 parsecs", "25:00", "-5m", "2026-11", "2026-13-01", "21.11.2026", "2026-11-21 1"})
    EXPECT_EQ(parse_since(text, now_ms), std::nullopt) << text;
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
  EXPECT_THROW(clock_.require_times(log), ExitError);
}

TEST_F(LineClockTest, TellsTheTimesOfALogThatHasThemAndOfAnEmptyOne) {
  EXPECT_TRUE(clock_.tells({0, scratch_.write("worker_0.log", "x\n2026-11-21 12:00:00 y\n")}));
  EXPECT_TRUE(clock_.tells({1, scratch_.write("worker_1.log", "")}));
}

}  // namespace

}  // namespace adarun::cli
