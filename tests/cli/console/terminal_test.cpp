// SPDX-License-Identifier: Apache-2.0
#include "cli/console/terminal.h"

#include <gtest/gtest.h>

#include <limits>

namespace adarun::cli {
namespace {

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

TEST(ProgressBar, FillsFromTheLeft) {
  EXPECT_EQ(progress_bar(0, 8), "[....................]");
  EXPECT_EQ(progress_bar(2, 8), "[#####...............]");
  EXPECT_EQ(progress_bar(8, 8), "[####################]");
}

TEST(ProgressBar, IsFullOnlyWhereAllIsDone) {
  EXPECT_EQ(progress_bar(999, 1000), "[###################.]");
}

TEST(ProgressBar, IsFullWhereThereIsNothingToDoOrMoreWasDone) {
  EXPECT_EQ(progress_bar(0, 0), "[####################]");
  EXPECT_EQ(progress_bar(9, 8), "[####################]");
}

TEST(ProgressBar, TakesTheLargestNumbers) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(progress_bar(most / 2, most), "[##########..........]");
}

}  // namespace

}  // namespace adarun::cli
