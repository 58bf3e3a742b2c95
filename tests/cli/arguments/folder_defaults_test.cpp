// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/folder_defaults.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/arguments/command.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

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
    const base::Diversion diversion(log, [&warnings](const std::string& line) { warnings += line; });
    std::vector<Default> used{{"", "log-dir", {"runs"}, false, "/p/.adarun.json"},
                              {"", "hosts", {"evil:1"}, false, "/p/.adarun.json"},
                              {"", "user", {"eve"}, false, "/p/.adarun.json"}};
    for (Default& each : used) each.digest = digest;
    try {
      check_folder_defaults(app_, words, used, spec, allowed_, log);
    } catch (const Quit& quit) {
      EXPECT_EQ(quit.status(), exit_usage);
      return std::string("refused: ") + quit.what();
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
  EXPECT_THROW(allow_defaults(allowed_, "d1", "/p/.adarun.json"), Quit);
}

}  // namespace
}  // namespace adarun::cli
