// SPDX-License-Identifier: Apache-2.0
#include "base/line_cutter.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace adarun::base {
namespace {

using Lines = std::vector<std::string>;

constexpr LineRules passed_on{LineEnd::newline, Overlong::split, 1000};

std::string fed(LineCutter& cutter, const std::string& bytes) {
  std::string all;
  cutter.feed(bytes, [&](std::string_view lines) { all += lines; });
  return all;
}

std::string finished(LineCutter& cutter) {
  std::string all;
  cutter.finish([&](std::string_view lines) { all += lines; });
  return all;
}

Lines each_of(const std::vector<std::string>& pieces, const LineRules& rules = log_lines) {
  LineCutter cutter(rules);
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  for (const std::string& piece : pieces) cutter.feed_each(piece, keep);
  cutter.finish_each(keep);
  return lines;
}

Lines lines_with_ends(const std::string& text, LineEnd end) {
  Lines lines;
  for_each_line(text, end, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

TEST(LineCutter, GivesWholeLinesAndHoldsTheRestBack) {
  const LineRules in_pieces{LineEnd::newline, Overlong::split, 4};
  const LineRules unchanged{LineEnd::newline, Overlong::unchanged, 4};
  const struct {
    const char* what;
    LineRules rules;
    std::vector<std::pair<const char*, const char*>> fed;  ///< Each piece, and what it completes.
    const char* rest;                                      ///< What comes at the end.
  } cases[] = {
      {"the beginning of a line is held until its end",
       passed_on,
       {{"on", ""}, {"e\ntwo\nth", "one\ntwo\n"}, {"", ""}, {"ree\n", "three\n"}},
       ""},
      {"a last line is given an end once", passed_on, {{"a\nb", "a\n"}}, "b\n"},
      {"a line that does not end comes in pieces",
       in_pieces,
       {{"abc", ""}, {"d", "abcd\n"}, {"e\nfghij", "e\nfghij\n"}},
       ""},
      {"no empty line is added behind the piece that ends a line",
       in_pieces,
       {{"abcd", "abcd\n"}, {"\n", ""}, {"\nx\n", "\nx\n"}},
       ""},
      {"nothing is added to a line that is to stay as it is",
       unchanged,
       {{"abc", ""}, {"d", "abcd"}, {"\nefghi", "\nefghi"}, {"j", ""}},
       "j"},
  };
  for (const auto& each : cases) {
    LineCutter cutter(each.rules);
    for (const auto& [piece, lines] : each.fed) EXPECT_EQ(fed(cutter, piece), lines) << each.what;
    EXPECT_EQ(finished(cutter), each.rest) << each.what;
    EXPECT_EQ(finished(cutter), "") << each.what;
  }
}

TEST(LineCutter, LeavesBytesAsTheyAre) {
  LineCutter cutter(passed_on);
  const std::string bytes("\n\n\0\r\n\xff\n", 7);
  EXPECT_EQ(fed(cutter, bytes), bytes);
}

TEST(LineCutter, LeavesTheEndOfALineAsItIs) {
  const std::string text = "one\rtwo\r\nthree\n";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    LineCutter cutter(log_lines);
    const std::string begin = fed(cutter, text.substr(0, at));
    EXPECT_EQ(begin + fed(cutter, text.substr(at)), text) << at;
  }
}

TEST(LineCutter, GivesWholeLinesWithoutACopy) {
  LineCutter cutter(log_lines);
  const std::string bytes = "one\ntwo\nthr";
  int calls = 0;
  cutter.feed(bytes, [&](std::string_view lines) {
    ++calls;
    EXPECT_EQ(lines.data(), bytes.data());
    EXPECT_EQ(lines, "one\ntwo\n");
  });
  EXPECT_EQ(calls, 1);
}

TEST(LineCutter, JoinsWhatCameInPieces) {
  EXPECT_EQ(each_of({"ab", "c\nd", "\n", "e\nf\n"}), (Lines{"abc", "d", "e", "f"}));
}

TEST(LineCutter, GivesTheSameLinesWhereverTheBytesAreCut) {
  const std::string text = "one\r\ntwo\n\rthree\rfour\n\nfive";
  const Lines whole = each_of({text});
  EXPECT_EQ(whole, (Lines{"one", "two", "three", "four", "five"}));
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(each_of({text.substr(0, at), text.substr(at)}), whole) << at;
  }
}

TEST(LineCutter, EndsALineAtACarriageReturnOnlyWhereToldTo) {
  EXPECT_EQ(each_of({"10%\r20%\r\n"}), (Lines{"10%", "20%"}));
  EXPECT_EQ(each_of({"10%\r20%\r\n"}, passed_on), Lines{"10%\r20%\r"});
}

TEST(LineCutter, CutsAnOverlongLineAndGoesOnBehindIt) {
  const std::string chunk(log_lines.max_bytes - 1, 'x');
  const Lines lines = each_of({chunk, chunk, chunk + "\nnext\n", std::string(3 * chunk.size(), 'y') + "\n"});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].size(), log_lines.max_bytes);
  EXPECT_EQ(lines[1], "next");
  EXPECT_EQ(lines[2].size(), log_lines.max_bytes);
}

TEST(LineCutter, HoldsBackALineWithoutEndAndForgetsItOnReset) {
  LineCutter cutter(log_lines);
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  cutter.feed_each("loss is 2.", keep);
  EXPECT_TRUE(lines.empty());
  cutter.feed_each("31\nhalf", keep);
  EXPECT_EQ(lines, Lines{"loss is 2.31"});
  cutter.reset();
  cutter.feed_each("whole\n", keep);
  EXPECT_EQ(lines, (Lines{"loss is 2.31", "whole"}));
}

TEST(ForEachLine, GivesEachLineWithItsEnd) {
  EXPECT_EQ(lines_with_ends("a\n\nb\r\nc\rd\n", LineEnd::newline), (Lines{"a\n", "\n", "b\r\n", "c\rd\n"}));
  EXPECT_EQ(lines_with_ends("a\n\nb\r\nc\rd\n", LineEnd::newline_or_return),
            (Lines{"a\n", "\n", "b\r", "\n", "c\r", "d\n"}));
  EXPECT_EQ(lines_with_ends("a\rb", LineEnd::newline_or_return), (Lines{"a\r", "b"}));
  EXPECT_EQ(lines_with_ends("", LineEnd::newline), Lines{});
}

TEST(LineLength, IsThatOfTheFirstLineWithoutItsEnd) {
  EXPECT_EQ(line_length("abc\rd\n", LineEnd::newline), 5u);
  EXPECT_EQ(line_length("abc\rd\n", LineEnd::newline_or_return), 3u);
  EXPECT_EQ(line_length("abc", LineEnd::newline_or_return), 3u);
  EXPECT_EQ(line_length("\n", LineEnd::newline), 0u);
}

TEST(LastLine, IsTheLastThatIsNotEmpty) {
  EXPECT_EQ(last_line("10%\r20%\r", LineEnd::newline_or_return), "20%");
  EXPECT_EQ(last_line("one\r\ntwo\r\n\n", LineEnd::newline_or_return), "two");
  EXPECT_EQ(last_line("one\rtwo\n", LineEnd::newline), "one\rtwo");
  EXPECT_EQ(last_line("\n\r\n", LineEnd::newline_or_return), "");
}

}  // namespace
}  // namespace adarun::base
