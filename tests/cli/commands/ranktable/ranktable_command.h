// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/tables.h"
#include "tests/scratch_folder.h"

namespace adarun::ranktable {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

/// The result of one call of the program.
struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// Whether `part` is in `text`.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Runs the built program in a scratch folder, with a folder for tools in PATH.
class RanktableCommand : public ::testing::Test {
 protected:
  RanktableCommand() : before_(fs::current_path()), path_(std::getenv("PATH")) {
    fs::create_directories(work());
    fs::create_directories(tools());
    fs::current_path(work());
    ::setenv("PATH", (tools().string() + ":" + path_).c_str(), 1);
  }
  ~RanktableCommand() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::current_path(before_);
  }

  fs::path work() const { return scratch_.path() / "work"; }
  fs::path tools() const { return scratch_.path() / "tools"; }

  // `adarun ranktable WORDS...`
  Outcome run(const Words& words) const {
    Words all = {ADARUN_PROGRAM, "ranktable"};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    const fs::path out = scratch_.path() / "out";
    const fs::path err = scratch_.path() / "err";
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), flags, 0600);
    pid_t pid = 0;
    const int failure = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = -1;
    if (failure != 0 || ::waitpid(pid, &status, 0) != pid) return {};
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
  }

  void expect_wrong_usage(const Words& words, const std::string& message) const {
    const Outcome refused = run(words);
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_TRUE(has(refused.err, message)) << refused.err << "\nwanted " << message;
    EXPECT_EQ(refused.out, "");
  }

  // A tool that runs `body`, a shell script with the card's number in $2.
  void fake_hccn_tool(const std::string& body, const std::string& name = "hccn_tool") const {
    write_file(tools() / name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(tools() / name, fs::perms::owner_all);
  }
  void good_hccn_tool() const { fake_hccn_tool("echo ipaddr:10.10.100.1$2; echo netmask:255.255.255.0"); }

  static Words files() {
    Words names;
    for (const auto& entry : fs::directory_iterator(".")) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  test::ScratchFolder scratch_;
  fs::path before_;
  std::string path_;
};

}  // namespace adarun::ranktable
