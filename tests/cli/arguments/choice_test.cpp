// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/choice.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/cli/arguments/refusal_of.h"

namespace adarun::cli {
namespace {

enum class Side { left, right };

std::string refusal_of_side(std::optional<Side>& side, const std::vector<std::string>& words) {
  return refusal_of(
      [&side](CLI::App& app) {
        add_choice<Side>(app, "--side", side, {{"left", Side::left}, {"right", Side::right}}, "");
      },
      words);
}

TEST(Choice, IsTheValueOfItsWord) {
  std::optional<Side> side;
  EXPECT_EQ(refusal_of_side(side, {}), "");
  EXPECT_EQ(side, std::nullopt);
  EXPECT_EQ(refusal_of_side(side, {"--side", "right"}), "");
  EXPECT_EQ(side, Side::right);
}

TEST(Choice, RefusesOtherWordsAndNamesAllThatItTakes) {
  std::optional<Side> side;
  for (const std::string word : {"", "lef", "Left", "left|right"})
    EXPECT_EQ(refusal_of_side(side, {"--side", word}), "--side: \"" + word + "\": wanted left|right");
  EXPECT_EQ(side, std::nullopt);
}

TEST(Choice, ShowsItsWordsInTheHelp) {
  CLI::App app;
  std::optional<Side> side;
  add_choice<Side>(app, "--side", side, {{"left", Side::left}, {"right", Side::right}}, "");
  EXPECT_EQ(app.get_option("--side")->get_type_name(), "left|right");
}

}  // namespace
}  // namespace adarun::cli
