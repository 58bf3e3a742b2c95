// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/scratch_folder.h"

namespace adarun::base {
namespace {

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

int opened() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(FileDescriptor, IsClosedAtTheEndOfItsScope) {
  int number = -1;
  {
    const FileDescriptor fd(opened());
    number = fd.get();
    EXPECT_TRUE(fd);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(FileDescriptor, IsMovedAndThenClosedOnce) {
  FileDescriptor from(opened());
  const int number = from.get();
  const FileDescriptor to(std::move(from));
  EXPECT_FALSE(from);  // NOLINT: what a move leaves
  EXPECT_EQ(to.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(FileDescriptor, IsGivenAwayOpen) {
  FileDescriptor fd(opened());
  const int number = fd.release();
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(number));
  FileDescriptor again(number);
  again.reset();
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(again);
}

TEST(FileDescriptor, IsNoneWhereOpeningFailed) {
  EXPECT_FALSE(FileDescriptor());
  EXPECT_FALSE(FileDescriptor(-1));
}

TEST(PathParts, AreTheNamesBetweenSlashes) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"/a//b/", {"a", "b"}}, {"a", {"a"}}, {"a/b", {"a", "b"}}, {"", {}}, {"///", {}},
      {"./..", {".", ".."}}};
  for (const auto& [path, parts] : cases) EXPECT_EQ(path_parts(path), parts) << path;
}

namespace fs = std::filesystem;

class OpenNoLinks : public testing::Test {
 protected:
  OpenNoLinks() {
    scratch_.write("real/file", "text");
    fs::create_symlink("real", scratch_.path() / "folder");
    fs::create_symlink("file", scratch_.path() / "real/link");
    fs::create_symlink("nowhere", scratch_.path() / "real/dangling");
    mkfifo((scratch_.path() / "real/pipe").c_str(), 0600);
  }

  // What opening it ends with: 0, or errno.
  int opening(const std::string& name, int flags = O_RDONLY) const {
    errno = 0;
    const std::string path = name.empty() || name[0] == '/' ? name : (scratch_.path() / name).string();
    return open_no_links(path, flags) ? 0 : errno;
  }

 private:
  test::ScratchFolder scratch_;
};

TEST_F(OpenNoLinks, OpensFilesAndFolders) {
  for (const char* name : {"real/file", "real//file", "real", "real/", "real/../real/./file", "/"})
    EXPECT_EQ(opening(name), 0) << name;
  EXPECT_EQ(opening("real", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(opening("real/file", O_PATH), 0);
  EXPECT_EQ(opening("real/pipe", O_RDONLY | O_NONBLOCK), 0);
}

TEST_F(OpenNoLinks, FollowsNoLinkInAnyPart) {
  for (const int flags : {O_RDONLY, O_PATH, O_RDONLY | O_DIRECTORY, O_PATH | O_DIRECTORY})
    for (const char* name : {"real/link", "real/dangling", "folder", "folder/file", "folder/../real/file",
                             "folder/link", "/proc/self/fd/0", "/proc/self/cwd/file"})
      EXPECT_EQ(opening(name, flags), ELOOP) << name << ' ' << flags;
}

TEST_F(OpenNoLinks, TellsWhyElseAPathCannotBeOpened) {
  EXPECT_EQ(opening(""), ENOENT);
  EXPECT_EQ(opening("real/none"), ENOENT);
  EXPECT_EQ(opening("none/file"), ENOENT);
  EXPECT_EQ(opening("real/file/"), ENOTDIR);
  EXPECT_EQ(opening("real/file/x"), ENOTDIR);
}

}  // namespace
}  // namespace adarun::base
