// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace adarun::base
