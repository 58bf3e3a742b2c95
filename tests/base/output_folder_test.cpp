// SPDX-License-Identifier: Apache-2.0
#include "base/output_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <stdexcept>

#include "tests/as_another_user.h"
#include "tests/scratch_folder.h"

namespace adarun::base {
namespace {

namespace fs = std::filesystem;

std::string refusal(const fs::path& folder) {
  try {
    const OutputFolder opened(folder);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

class OutputFolderTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name, mode_t mode, uid_t owner = ::geteuid()) const {
    fs::create_directories(path_ / name);
    ::chmod((path_ / name).c_str(), mode);
    ::chown((path_ / name).c_str(), owner, owner);
    return path_ / name;
  }

  test::ScratchFolder scratch_;
  const fs::path& path_ = scratch_.path();
};

TEST_F(OutputFolderTest, IsMadeNotWritableByOthers) {
  const mode_t before = ::umask(0);
  const OutputFolder made(path_ / "a/b/");
  ::umask(before);
  struct stat facts {};
  ASSERT_EQ(::stat((path_ / "a/b").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0775U);
  EXPECT_EQ(made.path(), path_ / "a/b");
}

TEST_F(OutputFolderTest, MayBelongToThisUserAndItsGroup) {
  EXPECT_EQ(refusal(folder("private", 0700)), "");
  EXPECT_EQ(refusal(folder("of a group", 02775)), "");
  fs::create_directory_symlink("private", path_ / "link");
  EXPECT_EQ(refusal(path_ / "link"), "");
}

TEST_F(OutputFolderTest, IsRefusedWhereAnyUserMayWrite) {
  for (const mode_t mode : {0777, 01777, 0702}) {
    const fs::path open_to_all = folder("open", mode);
    EXPECT_EQ(refusal(open_to_all),
              open_to_all.string() + ": any user may write there: no files are written there");
  }
}

TEST_F(OutputFolderTest, IsRefusedIfItIsAnothers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  const fs::path theirs = folder("theirs", 0755, test::another_uid);
  EXPECT_EQ(refusal(theirs),
            theirs.string() + ": belongs to another user (uid 65533): no files are written there");
  EXPECT_TRUE(fs::is_empty(theirs));
  folder("mine", 0755);
  fs::create_directory_symlink("mine", path_ / "link");
  ASSERT_EQ(::lchown((path_ / "link").c_str(), test::another_uid, test::another_uid), 0);
  EXPECT_NE(refusal(path_ / "link").find("a link that another user has made"), std::string::npos);
}

// With its own right to write there, from a group.
TEST_F(OutputFolderTest, MayBeRoots) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  ::chmod(path_.c_str(), 0755);
  const fs::path roots = folder("roots", 0775);
  ASSERT_EQ(::chown(roots.c_str(), 0, test::another_uid), 0);
  EXPECT_EQ(
      test::as_another_user([&] {
        return refusal(roots).empty() && create_file(OutputFolder(roots).fd(), "a", 0644).get() >= 0 ? 0 : 1;
      }),
      0);
}

TEST_F(OutputFolderTest, StaysTheFolderThatWasOpened) {
  const OutputFolder opened(path_ / "a");
  fs::rename(path_ / "a", path_ / "moved");
  fs::create_directory(path_ / "a");
  ASSERT_TRUE(create_file(opened.fd(), "f", 0644));
  EXPECT_TRUE(fs::exists(path_ / "moved/f"));
  EXPECT_TRUE(fs::is_empty(path_ / "a"));
}

TEST_F(OutputFolderTest, CreatesFilesInPlaceOfWhatHasTheirNames) {
  scratch_.write("private", "mine");
  const OutputFolder opened(path_);
  fs::create_symlink("private", path_ / "link");
  fs::create_hard_link(path_ / "private", path_ / "other name");
  for (const char* name : {"link", "other name"}) {
    const FileDescriptor made = create_file(opened.fd(), name, 0600);
    ASSERT_TRUE(made) << name;
    EXPECT_EQ(::write(made.get(), "new", 3), 3);
    EXPECT_EQ(test::content_of(path_ / name), "new");
  }
  EXPECT_EQ(test::content_of(path_ / "private"), "mine");
  fs::create_directory(path_ / "folder");
  EXPECT_FALSE(create_file(opened.fd(), "folder", 0600));
}

TEST_F(OutputFolderTest, OpensOnlyFilesThatAreOursAlone) {
  scratch_.write("private", "mine");
  const OutputFolder opened(path_);
  constexpr int append = O_WRONLY | O_APPEND | O_CREAT;
  EXPECT_TRUE(opened.open_file("private", append));
  EXPECT_TRUE(opened.open_file("new", append, 0644));
  fs::create_symlink("private", path_ / "link");
  EXPECT_FALSE(opened.open_file("link", append));
  fs::create_hard_link(path_ / "private", path_ / "other name");
  EXPECT_FALSE(opened.open_file("other name", append | O_TRUNC));
  ASSERT_EQ(::mkfifo((path_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(opened.open_file("pipe", O_RDONLY));
  EXPECT_EQ(errno, EACCES);
  EXPECT_EQ(test::content_of(path_ / "private"), "mine");
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((path_ / "new").c_str(), test::another_uid, test::another_uid), 0);
  EXPECT_FALSE(opened.open_file("new", append, 0644)) << "another user's";
}

}  // namespace
}  // namespace adarun::base
