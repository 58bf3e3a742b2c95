// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch_target.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>

#include "launcher/base/error.h"
#include "tests/content_hash.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

class HomeTest : public testing::Test {
 protected:
  // The state of file "a" of node n after copying it when it contains `text` on the node.
  FetchResult bring(const std::string& text, std::size_t cut = std::string::npos,
                    const std::string& sent = {}) {
    DownloadFolder home(root_ / "home");
    ArrivingFile file(home.place("n", "/d/a"), {"/d/a", text.size(), 1'000'000'000, 1, 0644});
    const Known known = file.known();
    offset_ =
        known.size_bytes <= text.size() && known.hash == base::hash_of_text(text.substr(0, known.size_bytes))
            ? known.size_bytes
            : 0;
    const std::string rest = sent.empty() ? text.substr(offset_) : sent;
    if (!rest.empty()) file.take(offset_, rest.substr(0, cut));
    if (cut < rest.size()) return FetchResult::damaged;
    return file.finish({0, text.size(), base::hash_of_text(text), ""});
  }
  std::string content() const { return test::content_of(root_ / "home/n/d/a"); }
  std::size_t files() const {
    const fs::directory_iterator all(root_ / "home/n/d");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  test::ScratchFolder scratch_;
  const fs::path& root_ = scratch_.path();
  std::uint64_t offset_ = 0;
};

TEST_F(HomeTest, BringsAFileWithItsTime) {
  EXPECT_EQ(bring("hello\n"), FetchResult::fresh);
  EXPECT_EQ(content(), "hello\n");
  struct stat facts {};
  ASSERT_EQ(stat((root_ / "home/n/d/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mtime, 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(HomeTest, BringsAnEmptyFileAndOneThatHasBecomeEmpty) {
  EXPECT_EQ(bring(""), FetchResult::fresh);
  EXPECT_TRUE(fs::exists(root_ / "home/n/d/a"));
  bring("text");
  EXPECT_EQ(bring(""), FetchResult::fresh);
  EXPECT_EQ(content(), "");
}

TEST_F(HomeTest, ContinuesWhereItWasCut) {
  bring("0123456789", 4);
  EXPECT_FALSE(fs::exists(root_ / "home/n/d/a")) << "nobody sees half of it";
  EXPECT_EQ(bring("0123456789"), FetchResult::fresh);
  EXPECT_EQ(offset_, 4U);
  EXPECT_EQ(content(), "0123456789");
  EXPECT_EQ(files(), 1U);
}

TEST_F(HomeTest, BeginsAnewWhereTheFileIsAnotherOneByThen) {
  bring("0123456789", 4);
  EXPECT_EQ(bring("abc"), FetchResult::fresh);
  EXPECT_EQ(content(), "abc");
  EXPECT_EQ(bring("abX456"), FetchResult::fresh);
  EXPECT_EQ(content(), "abX456");
}

TEST_F(HomeTest, AddsWhatHasGrown) {
  bring("0123");
  EXPECT_EQ(bring("0123456"), FetchResult::fresh);
  EXPECT_EQ(offset_, 4U);
  EXPECT_EQ(content(), "0123456");
  EXPECT_EQ(bring("0123456"), FetchResult::kept);
}

TEST_F(HomeTest, KeepsTheOldFileWhereWhatCameIsDamaged) {
  bring("0123");
  EXPECT_EQ(bring("0123456", std::string::npos, "4X6"), FetchResult::damaged);
  EXPECT_EQ(content(), "0123");
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(bring("0123456"), FetchResult::fresh);
}

TEST_F(HomeTest, WritesNothingOutsideTheFolder) {
  DownloadFolder home(root_ / "home");
  for (const char* path : {"../x", "a/../../x", "..", ".", "", "/", "a/./b"})
    EXPECT_THROW(home.place("n", path), Error) << path;
  EXPECT_THROW(home.place("..", "x"), Error);
  EXPECT_THROW(home.place("a/b", "x"), Error);
  EXPECT_THROW(home.place("n", std::string("a\0b", 3)), Error);
  EXPECT_EQ(home.place("n", "//a//b").path, root_ / "home/n/a/b");
}

TEST_F(HomeTest, WritesNothingThroughLinks) {
  DownloadFolder home(root_ / "home");
  fs::create_directories(root_ / "home/n");
  fs::create_directories(root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", root_ / "home/n/d");
  EXPECT_THROW(home.place("n", "d/a"), Error);
  fs::create_symlink(root_ / "elsewhere/a", root_ / "home/n/a");
  EXPECT_THROW(ArrivingFile(home.place("n", "a"), {}), Error);
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
}

TEST_F(HomeTest, MakesNoMoreFoldersForANodeThanItMay) {
  DownloadFolder home(root_ / "home", 3);
  EXPECT_NO_THROW(home.place("n", "a/b/x"));
  EXPECT_THROW(home.place("n", "c/x"), Error);
  EXPECT_NO_THROW(home.place("n", "a/x")) << "is there already";
  EXPECT_FALSE(fs::exists(root_ / "home/n/c"));
  EXPECT_NO_THROW(home.place("m", "c/x"));
}

TEST_F(HomeTest, FollowsNoPathThatIsTooDeep) {
  DownloadFolder home(root_ / "home");
  std::string path = "x";
  for (std::size_t i = 1; i < DownloadFolder::most_parts; ++i) path = "a/" + path;
  EXPECT_NO_THROW(home.place("n", path));
  EXPECT_THROW(home.place("n", "a/" + path), Error);
}

TEST_F(HomeTest, IsForOneProgramAtATime) {
  const DownloadFolder home(root_ / "home");
  EXPECT_THROW(DownloadFolder(root_ / "home"), Error);
}

TEST_F(HomeTest, CanBeLookedAtWhileItComesWithoutAName) {
  TemporaryCopy file;
  file.take(0, "abc");
  file.take(3, "def");
  EXPECT_EQ(file.finish({0, 6, "", ""}), FetchResult::fresh);
  EXPECT_EQ(file.known().size_bytes, 6U);
  EXPECT_EQ(fs::file_size(file.path()), 6U);
  file.take(0, "new");
  EXPECT_EQ(fs::file_size(file.path()), 3U);
}

ino_t inode_at(const std::filesystem::path& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

TEST(TemporaryCopy, TakesTheFileAgainAsItGrows) {
  TemporaryCopy file;
  file.take(0, "one\n");
  file.take(4, "two\n");
  EXPECT_EQ(test::content_of(file.path()), "one\ntwo\n");
  EXPECT_THROW(file.take(99, "x"), Error);
}

TEST(TemporaryCopy, IsAnotherOneAtThePathWhereTheNodeHasAnother) {
  TemporaryCopy file;
  file.take(0, "one\n");
  const std::filesystem::path path = file.path();
  const ino_t before = inode_at(path);
  file.forget();
  EXPECT_EQ(file.known().size_bytes, 0U);
  file.take(0, "another one, and longer\n");
  EXPECT_EQ(file.path(), path);
  EXPECT_NE(inode_at(path), before);
  EXPECT_EQ(test::content_of(path), "another one, and longer\n");
}

}  // namespace
}  // namespace adarun::launcher
