// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/file_walk.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

constexpr int many = 2'000;

/// A folder of many files, and how many steps a search in it takes.
class FileWalkInALargeFolder : public testing::Test {
 protected:
  FileWalkInALargeFolder() {
    for (int i = 0; i < many; ++i) scratch_.write(std::to_string(i) + ".log", "");
  }

  int search(std::uint32_t most_files) {
    FileWalk walk({{(scratch_.path() / "*.log").string()}, most_files});
    int steps = 0;
    while (walk.advance()) ++steps;
    found_ = walk.take();
    return steps;
  }

  test::ScratchFolder scratch_;
  protocol::FileListing found_;
};

TEST_F(FileWalkInALargeFolder, TakesItInSmallSteps) {
  EXPECT_GE(search(many), many / FileWalk::names_per_step) << "the agent answers Pings between steps";
  EXPECT_EQ(found_.files.size(), static_cast<std::size_t>(many));
  EXPECT_EQ(found_.files.front().path, (scratch_.path() / "0.log").string());
  EXPECT_EQ(found_.refusal, "");
}

TEST_F(FileWalkInALargeFolder, EndsWithTheFirstFileThatIsTooMany) {
  EXPECT_LT(search(10), many / FileWalk::names_per_step);
  EXPECT_EQ(found_.refusal, "more than 10 files match");
  EXPECT_TRUE(found_.files.empty()) << "the launcher takes no more files than it asked for";
}

}  // namespace
}  // namespace adarun::launcher::agent
