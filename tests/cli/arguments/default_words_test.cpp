// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/default_words.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "cli/arguments/command.h"
#include "tests/cli/refusals.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

class AddDefaults : public testing::Test {
 protected:
  AddDefaults() {
    app_.set_version_flag("-V,--version", "1");
    for (const char* name : {"launch", "ps"}) {
      CLI::App* command = app_.add_subcommand(name, "");
      command->add_option("-H,--hosts", text_);
      command->add_option("--stage", list_);
      command->add_flag("--fold", flag_)->excludes(command->add_flag("--tag-output", flag_));
      command->add_flag("-v,--verbose", count_);
      command->add_option("--collect", text_)->expected(0, 1);
      command->add_option("--viewers", text_)->needs(command->add_option("--serve", text_));
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
  int count_ = 0;
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

TEST_F(AddDefaults, CountWhereTheyComeFirst) {
  defaults_ = {{"", "hosts", {"variable"}, false, "ADARUN_HOSTS"},
               {"", "fold", {}, true, "/f"},
               {"launch", "hosts", {"own"}, false, "/f"},
               {"launch", "fold", {"true"}, true, "/f"}};
  EXPECT_EQ(added({"launch"}), (DefaultWords{"launch", "--hosts", "variable"}));
}

TEST_F(AddDefaults, AreNoneOfWhatIsAskedAboutOneCommandLine) {
  for (const char* option : {"version", "help", "spec", "print-spec", "help-all"}) {
    defaults_ = {{"", option, {"1"}, false, "ADARUN_X"}};
    EXPECT_EQ(added({"launch"}), DefaultWords{"launch"}) << option;
    EXPECT_FALSE(is_known(app_, defaults_[0])) << option;
    defaults_[0].source = "/f";
    EXPECT_THROW(require_known(app_, defaults_), ExitError) << option;
  }
}

TEST_F(AddDefaults, OfFlagsSwitchThemOnAndOff) {
  for (const char* on : {"true", "1", "yes", "on", "True"}) {
    defaults_ = {{"", "fold", {on}, false, "ADARUN_FOLD"}};
    EXPECT_EQ(added({"launch"}), (DefaultWords{"launch", "--fold"})) << on;
  }
  for (const char* off : {"false", "0", "no", "off", "", "FALSE"}) {
    defaults_ = {{"", "fold", {off}, false, "ADARUN_FOLD"}, {"", "fold", {"true"}, true, "/f"}};
    EXPECT_EQ(added({"launch"}), DefaultWords{"launch"}) << off;
  }
  defaults_ = {{"", "verbose", {"true", "true"}, false, "/f"}};
  EXPECT_EQ(added({"launch"}), (DefaultWords{"launch", "--verbose", "--verbose"}));
  defaults_ = {{"", "fold", {"0"}, false, "/f"}, {"", "tag-output", {"1"}, false, "/f"}};
  EXPECT_EQ(added({"launch"}), (DefaultWords{"launch", "--tag-output"})) << "what is off excludes nothing";
  defaults_ = {{"", "fold", {"maybe"}, false, "ADARUN_FOLD"}};
  EXPECT_EQ(exit_message([this] { added({"launch"}); }),
            "ADARUN_FOLD: fold: \"maybe\": wanted true or false");
}

TEST_F(AddDefaults, AreNoneOfAVariableThatIsEmptyAndRefusedInAFile) {
  defaults_ = {{"", "hosts", {""}, false, "ADARUN_HOSTS"}, {"", "hosts", {"a"}, false, "/f"}};
  EXPECT_EQ(added({"launch"}), DefaultWords{"launch"}) << "it switches off that of the file";
  defaults_ = {{"", "stage", {"x", ""}, false, "/f"}};
  EXPECT_EQ(exit_message([this] { added({"launch"}); }),
            "/f: stage: its value is an empty word; false sets none");
}

TEST_F(AddDefaults, KeepTheValueThatAnOptionMayGoWithout) {
  defaults_ = {{"ps", "collect", {"DIR"}, false, "/f"}};
  EXPECT_EQ(added({"ps"}), (DefaultWords{"ps", "--collect", "DIR"}));
  defaults_ = {{"ps", "collect", {"true"}, true, "/f"}};
  EXPECT_EQ(added({"ps"}), (DefaultWords{"ps", "--collect"}));
}

TEST_F(AddDefaults, AreNotUsedWithoutTheOptionThatTheyNeed) {
  defaults_ = {{"ps", "viewers", {"4"}, false, "/f"}};
  EXPECT_EQ(added({"ps"}), DefaultWords{"ps"});
  EXPECT_EQ(added({"ps", "--serve", "1"}), (DefaultWords{"ps", "--viewers", "4", "--serve", "1"}));
  defaults_.push_back({"ps", "serve", {"2"}, false, "/f"});
  EXPECT_EQ(added({"ps"}), (DefaultWords{"ps", "--viewers", "4", "--serve", "2"}));
}

TEST_F(AddDefaults, NamesWhatNoCommandHas) {
  const auto refusal = [this](const Default& wrong) {
    return exit_message([&] { require_known(app_, {wrong}); });
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

TEST_F(AddDefaults, AreUsedUnlessHelpOrTheDefaultsThemselvesAreAskedFor) {
  app_.add_subcommand("config", "");
  EXPECT_TRUE(takes_defaults(app_, {"launch", "-n", "2"}));
  EXPECT_TRUE(takes_defaults(app_, {"launch", "--hosts", "config"}));
  EXPECT_FALSE(takes_defaults(app_, {"launch", "--help"}));
  EXPECT_FALSE(takes_defaults(app_, {"config"}));
}

TEST_F(AddDefaults, OfAFolderAreForCommandsWhoseOptionsItMaySet) {
  app_.add_subcommand("check", "");
  EXPECT_TRUE(takes_defaults_of_folder(app_, {"launch", "-n", "2"}));
  EXPECT_TRUE(takes_defaults_of_folder(app_, {"check"}));
  EXPECT_FALSE(takes_defaults_of_folder(app_, {"ps"}));
  EXPECT_FALSE(takes_defaults_of_folder(app_, {"--version"}));
}

/// The words of `launch` with the options of a file of --spec, which go before a file of defaults.
class TakeSpec : public AddDefaults {
 protected:
  TakeSpec() { app_.get_subcommand("launch")->add_option("--spec", file_); }

  DefaultWords with(const std::string& spec, DefaultWords words = {}) {
    words.insert(words.begin(), {"launch", "--spec=" + scratch_.write("spec", spec).string()});
    std::vector<Default> defaults = defaults_;
    take_spec(app_, words, defaults);
    add_defaults(app_, words, defaults);
    std::erase_if(words, [](const std::string& word) { return word.starts_with("--spec"); });
    return words;
  }

 private:
  const test::ScratchFolder scratch_;
  std::string file_;
};

TEST_F(TakeSpec, GoesBehindTheCommandLineAndBeforeDefaults) {
  defaults_ = {{"launch", "hosts", {"a"}, false, "/f"}, {"", "tag-output", {"true"}, true, "/f"}};
  EXPECT_EQ(with(R"({"hosts": "b"})"), (DefaultWords{"launch", "--hosts", "b", "--tag-output"}));
  EXPECT_EQ(with(R"({"hosts": "b", "fold": true})"), (DefaultWords{"launch", "--hosts", "b", "--fold"}));
  EXPECT_EQ(with(R"({"hosts": "b"})", {"-H", "c"}), (DefaultWords{"launch", "--tag-output", "-H", "c"}));
}

TEST_F(TakeSpec, MaySayThatAFlagOfDefaultsDoesNotHold) {
  defaults_ = {{"", "tag-output", {"true"}, true, "/f"}};
  EXPECT_EQ(with(R"({"tag-output": false})"), DefaultWords{"launch"});
}

TEST_F(TakeSpec, PutsItsListsBeforeThoseOfTheCommandLine) {
  EXPECT_EQ(with(R"({"stage": ["a", "b"]})", {"--stage", "c"}),
            (DefaultWords{"launch", "--stage", "a", "--stage", "b", "--stage", "c"}));
}

TEST_F(TakeSpec, KeepsAnOptionWithoutTheOneThatItNeedsWhichIsThenRefused) {
  EXPECT_EQ(with(R"({"viewers": 4})"), (DefaultWords{"launch", "--viewers", "4"}));
}

TEST_F(TakeSpec, NamesAnOptionThatThereIsNot) {
  EXPECT_THROW(with(R"({"hots": "b"})"), ExitError);
}

TEST_F(TakeSpec, IsNotTheValueOfAnotherOption) {
  DefaultWords words{"launch", "-H", "--spec", "/nonexistent"};
  EXPECT_EQ(take_spec(app_, words, defaults_), nullptr);
}

TEST_F(TakeSpec, IsOfLaunchAlone) {
  DefaultWords words{"ps", "--spec", "/nonexistent"};
  EXPECT_EQ(take_spec(app_, words, defaults_), nullptr);
}

namespace fs = std::filesystem;

class FolderDefaults : public testing::Test {
 protected:
  FolderDefaults() {
    CLI::App* launch = app_.add_subcommand("launch", "");
    for (const char* name : {"--hosts", "--user", "--env", "--env-file", "--stage", "--log-dir"})
      launch->add_option(name, text_);
  }

  /// What `adarun WORDS` says where a folder's file, with this text, has set hosts and user.
  std::string said(const std::vector<std::string>& words, const std::string& digest = "d1",
                   const SpecFile* spec = nullptr) {
    base::Log log("adarun");
    std::string warnings;
    const base::LogRedirect diversion(log, [&warnings](const std::string& line) { warnings += line; });
    std::vector<Default> used{{"", "log-dir", {"runs"}, false, "/p/.adarun.json"},
                              {"", "hosts", {"evil:1"}, false, "/p/.adarun.json"},
                              {"", "user", {"eve"}, false, "/p/.adarun.json"}};
    for (Default& each : used) each.digest = digest;
    try {
      check_folder_defaults(app_, words, used, spec, allowed_, log);
    } catch (const ExitError& error) {
      EXPECT_EQ(error.status(), exit_usage);
      return std::string("refused: ") + error.what();
    }
    return warnings;
  }

  const test::ScratchFolder scratch_;
  const fs::path allowed_ = scratch_.path() / "state/allowed";
  CLI::App app_{"", "adarun"};

 private:
  std::string text_;
};

constexpr const char* line = "/p/.adarun.json: sets where this job runs: --hosts evil:1, --user eve";

TEST_F(FolderDefaults, ThatSetWhereAJobRunsAreSaid) {
  EXPECT_EQ(said({"launch", "--hosts", "evil:1", "--user", "eve"}), line);
}

TEST_F(FolderDefaults, AreNotWorthALineIfTheySetAnythingElse) {
  base::Log log("adarun");
  check_folder_defaults(app_, {"launch", "--env", "A=1"},
                        {{"", "log-dir", {"runs"}, false, "f", false, false, "d"}}, nullptr, allowed_, log);
  check_folder_defaults(app_, {"launch", "--env", "A=1"}, {{"", "hosts", {"a"}, false, "ADARUN_HOSTS"}},
                        nullptr, allowed_, log);
}

TEST_F(FolderDefaults, HaveToBeAllowedBeforeDataOfTheUsersGoThere) {
  for (const char* option : {"--env", "--env-file", "--stage"}) {
    const std::string refusal = said({"launch", option, "x"});
    EXPECT_EQ(refusal,
              "refused: " + std::string(line) + "; with " + option +
                  ", data of yours would go there: adarun config --allow allows this file as it is now");
  }
  SpecFile spec;
  spec.roles.roles.emplace_back().environment = {"TOKEN=1"};
  EXPECT_NE(said({"launch"}, "d1", &spec).find("with env of a role"), std::string::npos);
}

TEST_F(FolderDefaults, AreAllowedOnceForTheirPresentContent) {
  allow_defaults(allowed_, "d1", "/p/.adarun.json");
  allow_defaults(allowed_, "d1", "/p/.adarun.json");
  EXPECT_EQ(said({"launch", "--env", "x"}, "d1"), line);
  EXPECT_EQ(said({"launch", "--env", "x"}, "d2").rfind("refused: ", 0), 0) << "changed since";
}

TEST_F(FolderDefaults, AreNotAllowedByALink) {
  fs::create_directories(allowed_);
  fs::create_symlink("/etc/passwd", allowed_ / "d1");
  EXPECT_EQ(said({"launch", "--env", "x"}, "d1").rfind("refused: ", 0), 0);
  EXPECT_THROW(allow_defaults(allowed_, "d1", "/p/.adarun.json"), ExitError);
}

}  // namespace

}  // namespace adarun::cli
