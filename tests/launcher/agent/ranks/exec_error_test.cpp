// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/exec_error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "launcher/agent/ranks/spawn.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

class ExecErrorText : public testing::Test {
 protected:
  ExecErrorText() {
    std::ofstream(folder_.path() / "loop.sh") << "#!/bin/sh\n";
    std::ofstream(folder_.path() / "train.py") << "print(1)\n";
  }

  std::string text(const std::string& name, int error) const {
    Program program;
    program.argv = {name};
    program.workdir = folder_.path();
    program.path = "/bin";
    return explain("", program, {SpawnStep::execute, error, 0}).message;
  }

  test::ScratchFolder folder_;
};

TEST_F(ExecErrorText, SaysWhatToTypeForAFileOfTheFolder) {
  EXPECT_EQ(text("loop.sh", ENOENT),
            "\"loop.sh\" (looked up in PATH): No such file or directory (loop.sh is in the ranks' folder: "
            "./loop.sh)");
  EXPECT_EQ(text("train.py", ENOENT),
            "\"train.py\" (looked up in PATH): No such file or directory (train.py is in the ranks' "
            "folder: python3 train.py)");
  EXPECT_EQ(text("other.sh", ENOENT), "\"other.sh\" (looked up in PATH): No such file or directory");
}

TEST_F(ExecErrorText, SaysWhatToTypeForALineAndForAVariable) {
  EXPECT_TRUE(text("echo hi", ENOENT).ends_with("(one word with blanks: a line for a shell is sh -c '...')"));
  EXPECT_TRUE(text("FOO=1", ENOENT).ends_with("(a variable goes before the program: --env FOO=1)"));
  EXPECT_TRUE(text("1FOO=1", ENOENT).ends_with("No such file or directory"));
  EXPECT_TRUE(text("a+b=1", ENOENT).ends_with("No such file or directory"));
}

TEST_F(ExecErrorText, SaysThatAFolderIsNoProgram) {
  std::filesystem::create_directory(folder_.path() / "data");
  EXPECT_TRUE(text("./data/", EACCES).ends_with("\"): is a folder, wanted a program"));
  EXPECT_EQ(text("/tmp", EACCES), "\"/tmp\": is a folder, wanted a program");
  EXPECT_TRUE(text("data", ENOENT).ends_with("(data in the ranks' folder is a folder itself)"));
}

TEST_F(ExecErrorText, SaysHowToRunAFileThatIsNotExecutable) {
  EXPECT_TRUE(text("./train.py", EACCES).ends_with("Permission denied (python3 FILE, or chmod +x)"));
  EXPECT_TRUE(text("./loop.sh", EACCES).ends_with("Permission denied (is it executable? chmod +x)"));
}

TEST_F(ExecErrorText, IsARefusalUnlessTheNodeMayHaveItLater) {
  const auto failure = [](SpawnStep step, int error) { return explain("", {}, {step, error, 0}).failure; };
  using protocol::StartFailure;
  EXPECT_EQ(failure(SpawnStep::workdir, ENOENT), StartFailure::refused);
  EXPECT_EQ(failure(SpawnStep::workdir, ESTALE), StartFailure::could_not_start);
  EXPECT_EQ(failure(SpawnStep::limit, EPERM), StartFailure::refused);
  EXPECT_EQ(failure(SpawnStep::bind, EINVAL), StartFailure::refused);
  EXPECT_EQ(failure(SpawnStep::set_up, EMFILE), StartFailure::could_not_start);
}

}  // namespace
}  // namespace adarun::launcher::agent
