// SPDX-License-Identifier: Apache-2.0
#include "base/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "tests/scratch_folder.h"

namespace adarun::base {
namespace {

class UnixSocket : public testing::Test {
 protected:
  const test::ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(UnixSocket, CarriesBytesFromOneEndToTheOther) {
  const FileDescriptor listening = listen_at(folder_ + "/socket");
  ASSERT_TRUE(listening);
  EXPECT_FALSE(accept_own(listening.get())) << "nobody has come yet";
  const FileDescriptor client = connect_to(folder_ + "/socket");
  ASSERT_TRUE(client);
  const FileDescriptor served = accept_own(listening.get());
  ASSERT_TRUE(served);
  ASSERT_EQ(write(client.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(served.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

TEST_F(UnixSocket, IsForItsUserAlone) {
  const FileDescriptor listening = listen_at(folder_ + "/socket");
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/socket").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(UnixSocket, MayLieInAFolderWithALongPath) {
  const std::string deep = folder_ + "/" + std::string(100, 'a') + "/" + std::string(100, 'b');
  std::filesystem::create_directories(deep);
  const FileDescriptor listening = listen_at(deep + "/socket");
  ASSERT_TRUE(listening);
  EXPECT_TRUE(connect_to(deep + "/socket"));
  errno = 0;
  EXPECT_FALSE(listen_at(deep + "/" + std::string(100, 'c')));
  EXPECT_EQ(errno, ENAMETOOLONG);
}

TEST_F(UnixSocket, TakesThePlaceOfOneThatWasLeft) {
  listen_at(folder_ + "/socket");
  EXPECT_FALSE(connect_to(folder_ + "/socket")) << "nobody listens any more";
  const FileDescriptor listening = listen_at(folder_ + "/socket");
  EXPECT_TRUE(connect_to(folder_ + "/socket", Wait::no));
}

TEST_F(UnixSocket, IsNoneWhereNoneIs) {
  errno = 0;
  EXPECT_FALSE(connect_to(folder_ + "/none"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(listen_at(folder_ + "/none/socket"));
}

}  // namespace
}  // namespace adarun::base
