// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/log_page.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor::web {
namespace {

using Direction = LogQuery::Direction;

std::vector<std::string> texts(const LogPage& page) {
  std::vector<std::string> found;
  for (const LogPage::Line& line : page.lines) found.push_back(line.text);
  return found;
}

using Texts = std::vector<std::string>;

struct Page : testing::Test {
  test::ScratchFolder scratch;
  std::filesystem::path log = scratch.write("log", "one\ntwo\r\nthree\nfour");

  static std::string many(int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "line " + std::to_string(i) + "\n";
    return text;
  }
};

TEST_F(Page, ShowsTheEnd) {
  const LogPage page = read_page(log, {~std::uint64_t{0}, Direction::before, 2, ""});
  EXPECT_EQ(texts(page), (Texts{"three", "four"}));
  EXPECT_EQ(page.size, 19U);
  EXPECT_EQ(page.from, 9U);
  EXPECT_EQ(page.to, 19U);
  EXPECT_EQ(texts(read_page(log, {page.from, Direction::before, 2, ""})), (Texts{"one", "two"}));
}

TEST_F(Page, ContinuesBehindWhatWasShown) {
  const LogPage page = read_page(log, {4, Direction::after, 2, ""});
  EXPECT_EQ(texts(page), (Texts{"two", "three"}));
  EXPECT_EQ(texts(read_page(log, {page.to, Direction::after, 2, ""})), (Texts{"four"}));
  EXPECT_EQ(texts(read_page(log, {19, Direction::after, 2, ""})), Texts{});
}

TEST_F(Page, FindsTextWhateverItsCase) {
  EXPECT_EQ(texts(read_page(log, {~std::uint64_t{0}, Direction::before, 9, "T"})), (Texts{"two", "three"}));
  EXPECT_EQ(texts(read_page(log, {0, Direction::after, 9, "x"})), Texts{});
}

TEST_F(Page, FindsALineThatMatchesOnceItHasItsEnd) {
  for (const LogQuery& query :
       {LogQuery{~std::uint64_t{0}, Direction::before, 9, "error"}, LogQuery{0, Direction::after, 9, "error"},
        LogQuery{2, Direction::after, 9, "error"}}) {
    const auto path = scratch.write("grows", "a\nErr");
    const LogPage page = read_page(path, query);
    EXPECT_EQ(texts(page), Texts{});
    EXPECT_EQ(page.to, 2U);
    EXPECT_EQ(page.size, 5U);
    scratch.append("grows", "or\n");
    EXPECT_EQ(texts(read_page(path, {page.to, Direction::after, 9, "error"})), Texts{"Error"});
  }
}

TEST_F(Page, EndsBehindALastLineThatIsWholeOrFound) {
  const auto whole = scratch.write("whole", "a\nerror\nb\n");
  EXPECT_EQ(read_page(whole, {0, Direction::after, 9, "error"}).to, 10U);
  const auto found = scratch.write("found", "a\nan error");
  EXPECT_EQ(read_page(found, {0, Direction::after, 9, "error"}).to, 10U);
  EXPECT_EQ(read_page(found, {0, Direction::after, 9, ""}).to, 10U);
}

TEST_F(Page, ContinuesBehindAnIncompleteLineOfAMegabyte) {
  const auto path = scratch.write("long", "a\n" + std::string(1U << 20U, 'x'));
  EXPECT_EQ(read_page(path, {0, Direction::after, 9, "error"}).to, (1U << 20U) + 2U);
}

TEST_F(Page, GivesEveryLineOnceHoweverItIsWalkedThrough) {
  const auto path = scratch.write("many", many(100'000));
  for (const Direction direction : {Direction::before, Direction::after}) {
    std::size_t lines = 0;
    std::uint64_t at = direction == Direction::before ? ~std::uint64_t{0} : 0;
    for (int pages = 0; pages < 200; ++pages) {
      const LogPage page = read_page(path, {at, direction, 1999, ""});
      if (page.lines.empty()) break;
      lines += page.lines.size();
      at = direction == Direction::before ? page.from : page.to;
    }
    EXPECT_EQ(lines, 100'000U);
  }
}

TEST_F(Page, ShowsTheBeginningOfALineOfAMegabyte) {
  const auto path = scratch.write("long", "before\n" + std::string(1U << 20U, 'x') + "\nbehind\n");
  const LogPage page = read_page(path, {~std::uint64_t{0}, Direction::before, 9, ""});
  ASSERT_EQ(page.lines.size(), 3U);
  EXPECT_EQ(page.lines[1].bytes, 1U << 20U);
  EXPECT_EQ(page.lines[1].text.size(), most_line_bytes);
  EXPECT_EQ(texts(read_page(path, {7, Direction::after, 9, ""})).size(), 2U);
}

TEST_F(Page, EndsWithTheLastOfMillionsOfEmptyLines) {
  const auto path = scratch.write("empty", "before\n" + std::string(8U << 20U, '\n') + "last\n");
  const LogPage page = read_page(path, {~std::uint64_t{0}, Direction::before, 300, ""});
  ASSERT_EQ(page.lines.size(), 300U);
  EXPECT_EQ(page.lines.back().text, "last");
  EXPECT_EQ(page.from, page.lines.front().at);
  EXPECT_LE(page.lines.capacity(), 4U * 300U) << "lines that were held";
}

TEST_F(Page, ReadsOnlyRegularFiles) {
  EXPECT_THROW(read_page(scratch.path() / "none", {}), Error);
  EXPECT_THROW(read_page(scratch.path(), {}), Error);
  EXPECT_THROW(read_page("/dev/zero", {}), Error);
}

constexpr std::uint64_t end = ~std::uint64_t{0};

std::string last_line(const UnpackedLog& log) {
  const LogPage page = read_page(log.path(), {end, LogQuery::Direction::before, 1, ""});
  return page.lines.empty() ? "" : page.lines[0].text;
}

struct Unpacked : testing::Test {
  test::ScratchFolder scratch;
  std::filesystem::path log = scratch.write("a.log.gz", packed("one\ntwo\n"));
  UnpackedLogs logs;
};

TEST_F(Unpacked, IsReadAsAnyLog) {
  const auto unpacked = logs.unpack(log);
  EXPECT_EQ(last_line(*unpacked), "two");
  EXPECT_EQ(read_page(unpacked->path(), {0, LogQuery::Direction::after, 9, "O"}).lines.size(), 2U);
}

TEST_F(Unpacked, IsUnpackedOnceAndAgainWhenItHasChanged) {
  const auto before = logs.unpack(log);
  EXPECT_EQ(logs.unpack(log), before);
  scratch.append("a.log.gz", packed("three\n"));
  EXPECT_EQ(last_line(*logs.unpack(log)), "three");
  EXPECT_EQ(last_line(*before), "two") << "whoever reads it keeps it";
}

TEST_F(Unpacked, LeavesRoomForOthers) {
  const auto first = logs.unpack(log);
  for (std::size_t i = 0; i < UnpackedLogs::most_kept; ++i)
    logs.unpack(scratch.write("b" + std::to_string(i) + ".gz", packed("b\n")));
  EXPECT_NE(logs.unpack(log), first);
}

TEST_F(Unpacked, RefusesWhatIsTooLargeOrNotPacked) {
  UnpackedLogs small(7);
  EXPECT_THROW(small.unpack(log), Error);
  EXPECT_EQ(last_line(*UnpackedLogs(8).unpack(log)), "two");
  EXPECT_THROW(logs.unpack(scratch.write("c.gz", "plain\n")), Error);
}

}  // namespace
}  // namespace adarun::monitor::web
