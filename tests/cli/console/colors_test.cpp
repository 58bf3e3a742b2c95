// SPDX-License-Identifier: Apache-2.0
#include "cli/console/colors.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace adarun::cli
