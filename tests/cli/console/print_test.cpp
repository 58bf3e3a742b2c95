// SPDX-License-Identifier: Apache-2.0
#include "cli/console/print.h"

#include <gtest/gtest.h>

#include <limits>

namespace adarun::cli {
namespace {

TEST(Columns, AreAsWideAsTheirWidestText) {
  EXPECT_EQ(columns({{"JOB", "STATE"}, {"a", "running"}, {"longer", "done"}}),
            "JOB     STATE\n"
            "a       running\n"
            "longer  done\n");
}

TEST(Columns, AlignNumbersToTheRight) {
  EXPECT_EQ(columns({{"RANKS", "NODE"}, {"8", "n1"}, {"1024", "n2"}}),
            "RANKS  NODE\n"
            "    8  n1\n"
            " 1024  n2\n");
  EXPECT_EQ(columns({{"MS", "AT"}, {"10.5", "10.0.0.2"}, {"0.25", "1"}}),
            "  MS  AT\n"
            "10.5  10.0.0.2\n"
            "0.25  1\n");
  EXPECT_EQ(columns({{"V"}, {"100.5"}, {"1."}}), "V\n100.5\n1.\n");
}

TEST(Columns, AreOfTextWhereOneLineIsNoNumber) {
  EXPECT_EQ(columns({{"STEP"}, {"12"}, {"-"}}), "STEP\n12\n-\n");
  EXPECT_EQ(columns({{"STEP"}, {"12"}, {""}}), "STEP\n12\n\n");
}

TEST(Columns, AreMeasuredInCharactersNotBytes) {
  EXPECT_EQ(columns({{"A", "B"}, {"äöü", "x"}, {"abcd", "y"}}),
            "A     B\n"
            "äöü   x\n"
            "abcd  y\n");
}

TEST(Columns, PassNothingOnThatHarmsATerminal) {
  EXPECT_EQ(columns({{"A", "B"}, {"\x1b[2Jx\ny", "z"}}), "A    B\nx y  z\n");
}

TEST(Columns, AreNoneWithoutRows) {
  EXPECT_EQ(columns({}), "");
}

TEST(AnsiColors, SetWordsOffWhereColourIsWanted) {
  const std::pair<AnsiStyle, const char*> cases[] = {
      {AnsiStyle::bold, "\x1b[1mx\x1b[0m"},        {AnsiStyle::red, "\x1b[31mx\x1b[0m"},
      {AnsiStyle::bold_red, "\x1b[1;31mx\x1b[0m"}, {AnsiStyle::green, "\x1b[32mx\x1b[0m"},
      {AnsiStyle::yellow, "\x1b[33mx\x1b[0m"},     {AnsiStyle::cyan, "\x1b[36mx\x1b[0m"}};
  for (const auto& [style, text] : cases) {
    EXPECT_EQ(AnsiColors(true)(style, "x"), text);
    EXPECT_EQ(AnsiColors(false)(style, "x"), "x");
  }
}

TEST(WantsColor, FollowsTheUserThenTheVariableThenTheTerminal) {
  const struct {
    const char* choice;
    const char* no_color;
    bool is_terminal;
    bool wanted;
  } cases[] = {
      {"auto", nullptr, true, true}, {"auto", nullptr, false, false}, {"auto", "1", true, false},
      {"auto", "", true, true},      {"always", "1", false, true},    {"never", nullptr, true, false},
  };
  for (const auto& each : cases)
    EXPECT_EQ(wants_color(each.choice, each.no_color, each.is_terminal), each.wanted)
        << each.choice << " " << each.is_terminal;
}

TEST(ProgressBar, FillsFromTheLeftAndIsFullOnlyWhereAllIsDone) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const struct {
    std::uint64_t done;
    std::uint64_t all;
    const char* bar;
  } cases[] = {{0, 8, "[....................]"},          {2, 8, "[#####...............]"},
               {8, 8, "[####################]"},          {999, 1000, "[###################.]"},
               {0, 0, "[####################]"},          {9, 8, "[####################]"},
               {most / 2, most, "[##########..........]"}};
  for (const auto& each : cases) EXPECT_EQ(progress_bar(each.done, each.all), each.bar) << each.done;
}

}  // namespace
}  // namespace adarun::cli
