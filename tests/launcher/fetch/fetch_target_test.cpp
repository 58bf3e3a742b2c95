// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch_target.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "launcher/base/error.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

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
