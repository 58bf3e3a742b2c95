// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/agent/base/error.h"
#include "launcher/agent/files/stage_receiver.h"
#include "tests/as_another_user.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

/// A folder where anyone may make entries, with a file and a folder of another user.
class ForeignPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
    ASSERT_EQ(::chmod(scratch_.path().c_str(), 01777), 0);
    std::ofstream(file_) << "x";
    std::filesystem::create_directories(folder_ + "/inner");
    for (const std::string& place : {file_, folder_, folder_ + "/inner"})
      ASSERT_EQ(::chown(place.c_str(), test::another_uid, test::another_uid), 0);
  }

  test::ScratchFolder scratch_;
  const std::string file_ = scratch_.path() / "file";
  const std::string folder_ = scratch_.path() / "folder";
};

TEST_F(ForeignPlaceTest, IsAFileOrAFolderOnTheWay) {
  EXPECT_EQ(foreign_place(file_), file_);
  EXPECT_EQ(foreign_place(folder_), folder_);
  EXPECT_EQ(foreign_place(folder_ + "/inner/new"), folder_);
  EXPECT_EQ(foreign_place(scratch_.path() / "new"), std::nullopt);
}

TEST_F(ForeignPlaceTest, IsNoneWhereOnlyTheOwnerMakesEntries) {
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0755), 0);
  EXPECT_EQ(foreign_place(file_), std::nullopt);
  EXPECT_EQ(foreign_place(folder_ + "/inner"), std::nullopt);
}

TEST_F(ForeignPlaceTest, IsNotTakenForAFileThatNeedNotBeSent) {
  StageReceiver receiver;
  receiver.take(protocol::Stage{"", {{file_, protocol::StageKind::file, 0644, 1, ""}}});
  while (receiver.working()) receiver.tick();
  EXPECT_EQ(receiver.collect(), std::vector<protocol::Message>{protocol::StagePresent{{""}}});
}

TEST_F(ForeignPlaceTest, GetsNoFiles) {
  StageReceiver receiver;
  receiver.take(protocol::Stage{"", {{folder_ + "/inner/train.py", protocol::StageKind::file, 0644, 1, ""}}});
  try {
    receiver.take(protocol::StagePart{0, 0, "x"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "cannot stage \"" + folder_ + "/inner\": " + folder_ +
                                " is of another user, in a folder where anyone may make entries");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/inner"));
}

}  // namespace
}  // namespace adarun::launcher::agent
