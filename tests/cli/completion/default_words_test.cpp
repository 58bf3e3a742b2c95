// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/default_words.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/options/command.h"

namespace adarun::cli {
namespace {

class AddDefaults : public testing::Test {
 protected:
  AddDefaults() {
    for (const char* name : {"launch", "ps"}) {
      CLI::App* command = app_.add_subcommand(name, "");
      command->add_option("-H,--hosts", text_);
      command->add_option("--stage", list_);
      command->add_flag("--fold", flag_)->excludes(command->add_flag("--tag-output", flag_));
    }
  }

  std::vector<std::string> added(std::vector<std::string> words) const {
    add_defaults(app_, words, defaults_);
    return words;
  }

  std::vector<Default> defaults_;
  CLI::App app_{"", "adarun"};

 private:
  std::string text_;
  std::vector<std::string> list_;
  bool flag_ = false;
};

using DefaultWords = std::vector<std::string>;

TEST_F(AddDefaults, GoBehindTheCommand) {
  defaults_ = {{"", "hosts", {"a"}, false, ""},
               {"", "stage", {"x", "y"}, false, ""},
               {"", "fold", {"true"}, true, ""}};
  EXPECT_EQ(added({"launch", "x"}),
            (DefaultWords{"launch", "--hosts", "a", "--stage", "x", "--stage", "y", "--fold", "x"}));
  EXPECT_EQ(added({"ps"}), DefaultWords{"ps"});
  EXPECT_EQ(added({}), DefaultWords());
}

TEST_F(AddDefaults, AreNotUsedBesideWhatIsGiven) {
  defaults_ = {
      {"", "hosts", {"a"}, false, ""}, {"", "fold", {"true"}, true, ""}, {"", "nonsense", {"1"}, false, ""}};
  EXPECT_EQ(added({"launch", "-H", "b", "--tag-output"}),
            (DefaultWords{"launch", "-H", "b", "--tag-output"}));
  EXPECT_EQ(added({"launch", "--hosts=b"}), (DefaultWords{"launch", "--fold", "--hosts=b"}));
}

TEST_F(AddDefaults, OfTheCommandGoBeforeThoseOfSeveral) {
  defaults_ = {
      {"", "hosts", {"all"}, false, ""}, {"launch", "hosts", {"own"}, false, ""}, {"", "fold", {}, true, ""}};
  EXPECT_EQ(added({"launch"}), (DefaultWords{"launch", "--hosts", "own"}));
}

TEST_F(AddDefaults, NamesWhatNoCommandHas) {
  const auto refusal = [this](const Default& wrong) {
    try {
      require_known(app_, {wrong});
      return std::string();
    } catch (const Quit& quit) {
      return std::string(quit.what());
    }
  };
  EXPECT_EQ(refusal({"", "hots", {"a"}, false, "/f"}),
            "/f: hots: no option of launch, train or check; did you mean hosts?");
  EXPECT_EQ(refusal({"ps", "zzz", {"a"}, false, "/f"}), "/f: zzz: no option of ps");
  EXPECT_EQ(refusal({"", "test-bin", {"a"}, false, "ADARUN_TEST_BIN"}), "");
  EXPECT_EQ(refusal({"", "hosts", {"a"}, false, "/f"}), "");
  const std::string only = ": not taken from a folder's file, only from the user's (adarun config names it)";
  EXPECT_EQ(refusal({"", "stage", {"a"}, false, "/f", true}), "/f: stage" + only);
  EXPECT_EQ(refusal({"ps", "hosts", {"a"}, false, "/f", true}), "/f: ps: hosts" + only);
  EXPECT_EQ(refusal({"", "stge", {"a"}, false, "/f", true}),
            "/f: stge: no option of launch, train or check; did you mean stage?");
}

TEST(TakesDefaults, UnlessHelpOrTheDefaultsThemselvesAreAskedFor) {
  EXPECT_TRUE(takes_defaults({"launch", "-n", "2"}));
  EXPECT_FALSE(takes_defaults({"launch", "--help"}));
  EXPECT_FALSE(takes_defaults({"config"}));
}

}  // namespace
}  // namespace adarun::cli
