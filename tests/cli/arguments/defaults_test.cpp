// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/defaults.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <utility>

#include "cli/arguments/command.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

class ReadDefaults : public testing::Test {
 protected:
  ReadDefaults() { fs::create_directories(folder_.path() / "home/adarun"); }

  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  void set(const std::string& name, const std::string& value) { variables_[name] = value; }

  std::vector<Default> read() const {
    DefaultSources sources;
    if (in_folder_) sources.folder = folder_.path();
    sources.variable = [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    };
    for (const auto& [name, value] : variables_) sources.environment.push_back(name + "=" + value);
    sources.warn = [this](const std::string& text) { warnings_ += text.substr(text.find(".json") + 5); };
    return read_defaults(sources);
  }

  /// "OPTION of COMMAND = VALUES; " of each.
  std::string text() const {
    try {
      std::string text;
      for (const Default& each : read()) {
        text += each.option + " of " + each.command + " =";
        for (const std::string& value : each.values) text += " " + value;
        text += "; ";
      }
      return text;
    } catch (const ExitError& error) {
      EXPECT_EQ(error.status(), exit_usage);
      const std::string said = error.what();
      return said.substr(said.find(".json") + 5);
    }
  }

  test::ScratchFolder folder_;
  bool in_folder_ = true;
  mutable std::string warnings_;  ///< Behind the name of the file.
  std::map<std::string, std::string> variables_{{"XDG_CONFIG_HOME", (folder_.path() / "home").string()}};
};

TEST_F(ReadDefaults, ComeFromVariablesThenTheFolderThenTheUser) {
  EXPECT_EQ(text(), "");
  write("home/adarun/config.json", R"({"fanout": 8, "hosts": "user", "via": "slurm", "user": "me"})");
  write(".adarun.json", R"({"hosts": "folder", "fanout": 16})");
  set("ADARUN_FANOUT", "32");
  set("ADARUN_SSH_CONFIG", "f");
  EXPECT_EQ(text(),
            "fanout of  = 32; ssh-config of  = f; hosts of  = folder; via of  = slurm; user of  = me; ");
}

TEST_F(ReadDefaults, AreTextsNumbersListsAndFlags) {
  write("home/adarun/config.json",
        R"({"stage": ["a", "b"], "quiet": false, "train": {"adasum": true, "log-dir": "runs"}})");
  EXPECT_EQ(text(), "adasum of train = true; log-dir of train = runs; stage of  = a b; quiet of  =; ");
  EXPECT_TRUE(read()[0].is_of("train"));
  EXPECT_FALSE(read()[0].is_of("launch"));
  EXPECT_TRUE(read()[3].is_of("check"));
  EXPECT_FALSE(read()[3].is_of("ps"));
}

TEST_F(ReadDefaults, AreNotTakenFromTheSchemaForEditors) {
  write("home/adarun/config.json", R"({"$schema": "./config.schema.json", "fanout": 8})");
  write(".adarun.json", R"({"$schema": {"hosts": "a"}})");
  EXPECT_EQ(text(), "fanout of  = 8; ");
}

TEST_F(ReadDefaults, OfACommandComeBeforeTheRestOfTheirFileAndBehindOtherSources) {
  write("home/adarun/config.json", R"({"hosts": "all", "launch": {"hosts": "own"}})");
  write(".adarun.json", R"({"hosts": "folder"})");
  set("ADARUN_HOSTS", "variable");
  EXPECT_EQ(text(), "hosts of  = variable; hosts of launch = own; ");
}

TEST_F(ReadDefaults, OfVariablesAreNotReadInARank) {
  set("ADARUN_LOG_DIR", "/logs");
  EXPECT_EQ(text(), "log-dir of  = /logs; ");
  set("ADARUN_JOB_ID", "j");
  EXPECT_EQ(text(), "");
}

TEST_F(ReadDefaults, OfAFolderAreRefusedWhereTheyNameProgramsOrFilesOrAreOfOtherCommands) {
  write(".adarun.json", R"({"launch": {"agent": "./evil", "trace": "f", "workdir": "d", "hosts": "a"},
                            "prune": {"yes": true}, "umask": "0", "fanout": 3})");
  std::string refused;
  for (const Default& each : read())
    if (each.is_refused) refused += each.option + " ";
  EXPECT_EQ(refused, "agent trace workdir yes umask ");
  write(".adarun.json", "{}");
  write("home/adarun/config.json", R"({"agent": "./own", "prune": {"keep": 9}})");
  for (const Default& each : read()) EXPECT_FALSE(each.is_refused) << each.option;
}

TEST_F(ReadDefaults, OfAFolderAreNoLinkAndNoPipe) {
  write("own", R"({"hosts": "a"})");
  fs::create_symlink("own", folder_.path() / ".adarun.json");
  EXPECT_EQ(text(), ": a symbolic link; defaults are not taken from it");
  fs::remove(folder_.path() / ".adarun.json");
  ASSERT_EQ(mkfifo((folder_.path() / ".adarun.json").c_str(), S_IRUSR | S_IWUSR), 0);
  EXPECT_EQ(text(), ": no file");
  fs::remove(folder_.path() / ".adarun.json");
  write(".adarun.json", std::string((1U << 20U) + 1, ' '));
  EXPECT_EQ(text(), ": larger than 1 MiB");
  fs::create_symlink(folder_.path() / "own", folder_.path() / "home/adarun/config.json");
  fs::remove(folder_.path() / ".adarun.json");
  EXPECT_EQ(text(), "hosts of  = a; ") << "of the user a link is taken";
}

TEST_F(ReadDefaults, AreRefusedWhereOthersCanWriteThem) {
  write(".adarun.json", R"({"hosts": "a"})");
  fs::permissions(folder_.path() / ".adarun.json", fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(text(), ": others can write it, or it is another user's; defaults are not taken from it");
  in_folder_ = false;
  EXPECT_EQ(text(), "") << "by a command that takes none from there";
}

TEST_F(ReadDefaults, OfAnotherUserInTheFolderAreLeftOutWithAWarning) {
  if (geteuid() != 0) GTEST_SKIP() << "files of another user need root";
  const std::string file = folder_.path() / ".adarun.json";
  constexpr uid_t another = 12345;
  write(".adarun.json", R"({"hosts": "theirs"})");
  write("home/adarun/config.json", R"({"hosts": "mine"})");
  ASSERT_EQ(lchown(file.c_str(), another, another), 0);
  EXPECT_EQ(text(), "hosts of  = mine; ");
  EXPECT_EQ(std::exchange(warnings_, ""), ": another user's; defaults are not taken from it");
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  ASSERT_EQ(lchown(file.c_str(), another, another), 0);
  EXPECT_EQ(text(), "hosts of  = mine; ");
  EXPECT_NE(warnings_, "");
}

TEST_F(ReadDefaults, OfAFolderAreKnownByPathAndContent) {
  write("home/adarun/config.json", R"({"fanout": 2})");
  write(".adarun.json", R"({"hosts": "a"})");
  const std::vector<Default> first = read();
  write(".adarun.json", R"({"hosts": "b"})");
  EXPECT_EQ(first[0].digest.size(), 64);
  EXPECT_NE(read()[0].digest, first[0].digest);
  EXPECT_EQ(first[1].digest, "");
}

TEST_F(ReadDefaults, AreRefusedWhereTheyAreNoObjectOfPlainValues) {
  for (const char* wrong : {"", "[]", "{\"hosts\": ", "3"}) {
    write(".adarun.json", wrong);
    EXPECT_EQ(text(), ": wanted a JSON object") << wrong;
  }
  write(".adarun.json", "{\"hosts\": " + std::string(500'000, '[') + std::string(500'000, ']') + "}");
  EXPECT_EQ(text(), ": arrays and objects lie more than 100 deep in one another");
  for (const char* wrong : {R"({"hosts": null})", R"({"hosts": [["a"]]})", R"({"launch": {"hosts": {}}})"}) {
    write(".adarun.json", wrong);
    EXPECT_EQ(text(), ": hosts: wanted a text, a number, a list of texts, true or false") << wrong;
  }
}

}  // namespace
}  // namespace adarun::cli
