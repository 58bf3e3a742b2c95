// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <iterator>

#include "base/output_folder.h"
#include "tests/as_another_user.h"
#include "tests/scratch_folder.h"

namespace adarun::base {
namespace {

namespace fs = std::filesystem;

bool write_new(const fs::path& file, std::string_view text, mode_t mode = 0644) {
  NewFile made(file, mode);
  return made && made.write(text) && made.put_in_place();
}

mode_t mode_of(const fs::path& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777U : 0;
}

class NewFileTest : public testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

  test::ScratchFolder scratch_;
  const fs::path& path_ = scratch_.path();
};

TEST_F(NewFileTest, TakesThePlaceOfTheOldFileOnceItIsComplete) {
  scratch_.write("a", "old");
  NewFile made(path_ / "a", 0644);
  ASSERT_TRUE(made.write("new"));
  EXPECT_EQ(test::content_of(path_ / "a"), "old");
  ASSERT_TRUE(made.put_in_place());
  EXPECT_EQ(test::content_of(path_ / "a"), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(NewFileTest, LeavesNothingUnlessItIsPutInPlace) {
  { NewFile made(path_ / "a", 0644); }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(NewFileTest, HasANameThatCannotBeGuessedAndFitsIntoItsFolder) {
  const NewFile one(path_ / std::string(NAME_MAX, 'x'), 0644);
  const NewFile other(path_ / std::string(NAME_MAX, 'x'), 0644);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(entries(), 2U);
  for (const auto& entry : fs::directory_iterator(path_))
    EXPECT_EQ(entry.path().extension(), unfinished_suffix);
}

TEST_F(NewFileTest, HasTheModeThatWasAskedForOrThatOfTheOldFile) {
  const mode_t before = ::umask(022);
  ASSERT_TRUE(write_new(path_ / "a", "", 0666));
  EXPECT_EQ(mode_of(path_ / "a"), 0644U);
  ASSERT_EQ(::chmod((path_ / "a").c_str(), 0640), 0);
  ASSERT_TRUE(write_new(path_ / "a", "", 0666));
  EXPECT_EQ(mode_of(path_ / "a"), 0640U);
  ::umask(before);
}

TEST_F(NewFileTest, FollowsLinksOfThisUser) {
  scratch_.write("inner/real", "old");
  fs::create_symlink("inner/real", path_ / "link");
  fs::create_symlink("link", path_ / "link of link");
  ASSERT_TRUE(write_new(path_ / "link of link", "new"));
  EXPECT_EQ(test::content_of(path_ / "inner/real"), "new");
  EXPECT_TRUE(fs::is_symlink(path_ / "link"));
  fs::create_symlink("circle", path_ / "circle");
  EXPECT_FALSE(write_new(path_ / "circle", "new"));
  EXPECT_EQ(errno, ELOOP);
}

TEST_F(NewFileTest, WritesAPipeInPlace) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_TRUE(write_new("/proc/self/fd/" + std::to_string(ends[1]), "text"));
  char text[5]{};
  EXPECT_EQ(::read(ends[0], text, 4), 4);
  EXPECT_STREQ(text, "text");
  for (const int end : ends) ::close(end);
}

TEST_F(NewFileTest, ReplacesTheLinkOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  scratch_.write("private", "mine");
  fs::create_symlink("private", path_ / "link");
  ASSERT_EQ(::lchown((path_ / "link").c_str(), test::another_uid, test::another_uid), 0);
  ASSERT_TRUE(write_new(path_ / "link", "new"));
  EXPECT_EQ(test::content_of(path_ / "private"), "mine");
  EXPECT_FALSE(fs::is_symlink(path_ / "link"));
  EXPECT_EQ(test::content_of(path_ / "link"), "new");
}

TEST_F(NewFileTest, TakesNeitherModeNorPipeOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  scratch_.write("a", "");
  ASSERT_EQ(::mkfifo((path_ / "pipe").c_str(), 0666), 0);
  for (const char* name : {"a", "pipe"})
    ASSERT_EQ(::chown((path_ / name).c_str(), test::another_uid, test::another_uid), 0);
  ASSERT_EQ(::chmod((path_ / "a").c_str(), 06777), 0);
  ASSERT_TRUE(write_new(path_ / "a", "new", 0600));
  EXPECT_EQ(mode_of(path_ / "a"), 0600U);
  EXPECT_FALSE(write_new(path_ / "pipe", "new"));
  EXPECT_EQ(errno, EACCES);
}

TEST_F(NewFileTest, AppendsToNoFileThatAnotherUserPutWhereAnyoneMay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  scratch_.write("private", "mine");
  scratch_.write("theirs", "");
  fs::create_symlink("private", path_ / "link");
  fs::create_symlink("private", path_ / "their link");
  for (const char* name : {"theirs", "their link"})
    ASSERT_EQ(::lchown((path_ / name).c_str(), test::another_uid, test::another_uid), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0777), 0);
  EXPECT_FALSE(open_to_append(path_ / "theirs", 0644));
  EXPECT_FALSE(open_to_append(path_ / "their link", 0644));
  EXPECT_TRUE(open_to_append(path_ / "link", 0644));
  EXPECT_TRUE(open_to_append(path_ / "new", 0644));
  ASSERT_EQ(::chmod(path_.c_str(), 0775), 0);
  EXPECT_TRUE(open_to_append(path_ / "theirs", 0644)) << "a colleague's, where a group works";
}

}  // namespace
}  // namespace adarun::base
