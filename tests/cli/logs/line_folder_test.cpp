// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "cli/arguments/rank_set.h"
#include "cli/logs/line_folder.h"

namespace adarun::cli {
namespace {

using Clock = LineFolder::Clock;

const Clock::time_point start{};

// What is printed for these lines, which are added one after the other and then waited for.
std::string folded(std::size_t ranks, const std::vector<std::pair<std::uint32_t, std::string>>& lines) {
  LineFolder folder(ranks);
  for (const auto& [rank, line] : lines) folder.add(rank, line + "\n", start);
  return folder.take(start + LineFolder::longest_wait);
}

TEST(LineFolder, MakesOneLineOfThoseThatSeveralRanksPrint) {
  EXPECT_EQ(folded(8, {{0, "a"}, {1, "a"}, {2, "a"}, {5, "a"}, {7, "b"}}), "[0-2,5] a\n[7] b\n");
}

TEST(LineFolder, KeepsTheOrderOfEachRanksLines) {
  EXPECT_EQ(folded(8, {{0, "a"}, {1, "b"}, {1, "a"}, {0, "b"}}), "[0] a\n[0-1] b\n[1] a\n");
}

TEST(LineFolder, KeepsLinesThatOneRankPrintsTwice) {
  EXPECT_EQ(folded(2, {{0, "a"}, {0, "a"}, {1, "a"}}), "[0-1] a\n[0] a\n");
}

TEST(LineFolder, HoldsALineUntilAllRanksHaveItOrTimeIsUp) {
  LineFolder folder(2);
  folder.add(1, "a\n", start);
  EXPECT_EQ(folder.take(start), "");
  folder.add(0, "a\n", start);
  EXPECT_EQ(folder.take(start), "[0-1] a\n");
  folder.add(0, "b\n", start);
  EXPECT_EQ(folder.take(start + LineFolder::longest_wait - std::chrono::milliseconds(1)), "");
  EXPECT_EQ(folder.take(start + LineFolder::longest_wait), "[0] b\n");
}

TEST(LineFolder, HoldsABoundedNumberOfLines) {
  LineFolder folder(2);
  for (std::size_t i = 0; i < LineFolder::most_lines; ++i) folder.add(0, std::to_string(i) + "\n", start);
  EXPECT_EQ(folder.take(start), "");
  folder.add(0, "last\n", start);
  EXPECT_EQ(folder.take(start), "[0] 0\n");
}

TEST(LineFolder, KeepsEveryLineAndTheOrderOfEachRank) {
  std::mt19937 random(7);
  constexpr std::uint32_t ranks = 5;
  std::vector<std::string> printed(ranks);
  LineFolder folder(ranks);
  std::string text;
  Clock::time_point now = start;
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t rank = random() % ranks;
    const std::string line = std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    printed[rank] += line;
    folder.add(rank, line, now);
    now += std::chrono::milliseconds(random() % 40);
    text += folder.take(now);
  }
  text += folder.take_all();
  std::vector<std::string> read(ranks);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t close = text.find("] ", at);
    const std::size_t end = text.find('\n', at) + 1;
    for (const std::uint32_t rank : parse_ranks(text.substr(at + 1, close - at - 1)))
      read[rank] += text.substr(close + 2, end - close - 2);
    at = end;
  }
  EXPECT_EQ(read, printed);
}

TEST(LineFolder, HoldsSoManyLinesAndBytesAndNoMore) {
  LineFolder folder(2);
  for (std::size_t i = 0; i <= LineFolder::most_lines; ++i) folder.add(0, "y\n", start);
  EXPECT_TRUE(folder.full());
  EXPECT_EQ(folder.take(start), "[0] y\n");
  EXPECT_FALSE(folder.full());
  folder.add(0, std::string(LineFolder::most_bytes, 'x') + '\n', start);
  folder.take(start);
  EXPECT_FALSE(folder.full());
}

}  // namespace
}  // namespace adarun::cli
