// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

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
  open("abcdefg\n");
  ASSERT_TRUE(lines_->next());
  EXPECT_EQ(lines_->line(), "abcd\n");
  ASSERT_TRUE(lines_->next());
  EXPECT_EQ(lines_->line(), "efg\n");
  EXPECT_FALSE(lines_->next());
}

}  // namespace
}  // namespace adarun::cli
