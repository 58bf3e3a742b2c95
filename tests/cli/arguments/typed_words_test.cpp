// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/typed_words.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace adarun::cli {
namespace {

class Typing : public testing::Test {
 protected:
  Typing() {
    app_.add_option("--color", text_);
    launch_.add_option("-H,--hosts", text_);
    launch_.add_flag("-v,--verbose");
    tables_.add_subcommand("merge")->add_option("files", texts_);
  }

  TypedWords typed(const std::vector<std::string>& words) { return read_typed_words(app_, words); }

  static std::string option_of(const TypedWords& typed) {
    return typed.option == nullptr ? "" : typed.option->get_name();
  }

  CLI::App app_{"", "adarun"};
  CLI::App& launch_ = *app_.add_subcommand("launch");
  CLI::App& tables_ = *app_.add_subcommand("ranktable");
  std::string text_;
  std::vector<std::string> texts_;
};

TEST_F(Typing, IsAtAWordOfTheInnermostCommand) {
  EXPECT_EQ(typed({}).command, &app_);
  EXPECT_EQ(typed({"lau"}).command, &app_);
  EXPECT_EQ(typed({"lau"}).word, "lau");
  EXPECT_EQ(typed({"launch", "-"}).command, &launch_);
  const TypedWords merging = typed({"ranktable", "merge", "a", "launch", ""});
  EXPECT_EQ(merging.command->get_name(), "merge");
  EXPECT_EQ(merging.arguments, (std::vector<std::string>{"a", "launch"}));
}

TEST_F(Typing, IsAtAValueBehindItsOption) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"launch", "--hosts", "no"}, {"launch", "-H", "no"}, {"launch", "-v", "--hosts", "no"}}) {
    EXPECT_EQ(option_of(typed(words)), "--hosts");
    EXPECT_EQ(typed(words).word, "no");
    EXPECT_EQ(typed(words).head, "");
  }
  EXPECT_EQ(option_of(typed({"launch", "--color", ""})), "--color");
  EXPECT_EQ(option_of(typed({"launch", "-v", "no"})), "");
  EXPECT_EQ(option_of(typed({"launch", "--unknown", "no"})), "");
}

TEST_F(Typing, IsAtAValueInTheWordOfItsOption) {
  const TypedWords words = typed({"launch", "--hosts=a=b"});
  EXPECT_EQ(option_of(words), "--hosts");
  EXPECT_EQ(words.head, "--hosts=");
  EXPECT_EQ(words.word, "a=b");
}

TEST_F(Typing, KeepsTheValuesThatStandBefore) {
  EXPECT_EQ(typed({"launch", "-H", "a", ""}).values.at("hosts"), "a");
  EXPECT_EQ(typed({"launch", "--hosts=a=b", ""}).values.at("hosts"), "a=b");
  EXPECT_EQ(typed({"launch", "--hosts", "--", ""}).values.at("hosts"), "--");
}

TEST_F(Typing, IsOverBehindTwoDashes) {
  EXPECT_TRUE(typed({"launch", "--", "launch", ""}).behind);
  EXPECT_FALSE(typed({"launch", "--"}).behind);
  EXPECT_TRUE(typed({"launch", "--hosts", "a", "./tr"}).behind);
  EXPECT_TRUE(typed({"launch", "./train", "--"}).behind);
  EXPECT_FALSE(typed({"launch", "--hosts", "a"}).behind);
  EXPECT_FALSE(typed({"launch", ""}).behind);
  EXPECT_EQ(typed({"launch", "--", "ranktable", ""}).command, &launch_);
}

TEST_F(Typing, KnowsWhereTheProgramBegins) {
  EXPECT_EQ(typed({"launch", "--", "./train", ""}).before, 2U);
  EXPECT_EQ(typed({"launch", "-v", "--", ""}).before, 3U);
  EXPECT_EQ(typed({"launch", "-H", "a", "./tr"}).before, 3U);
  EXPECT_EQ(typed({"launch", "-H", "a", "./train", "x", "y"}).before, 3U);
  const TypedWords options = typed({"launch", "./train", "-H", ""});
  EXPECT_TRUE(options.behind) << "the option is the program's";
  EXPECT_EQ(options.before, 1U);
}

}  // namespace
}  // namespace adarun::cli
