// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/greeting.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "launcher/error.h"
#include "launcher/posix/file_descriptor.h"

namespace adarun::launcher {
namespace {

using Heard = Greeting::Heard;

// Both ends of a connection: the test speaks at one, the greeting listens at the other.
class GreetingTest : public testing::Test {
 protected:
  GreetingTest() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw Error("no socket pair");
    sshd_ = posix::FileDescriptor(ends[0]);
    ours_ = posix::FileDescriptor(ends[1]);
  }
  Heard after(std::string_view bytes) {
    if (send(sshd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) throw Error("cannot send");
    return greeting_.listen(ours_.get());
  }
  Heard after_hanging_up() {
    sshd_.reset();
    return greeting_.listen(ours_.get());
  }
  std::string unread() {
    std::array<char, 100> buffer{};
    const ssize_t size = recv(ours_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  posix::FileDescriptor sshd_;
  posix::FileDescriptor ours_;
  Greeting greeting_;
};

TEST_F(GreetingTest, LeavesTheIdentificationUnread) {
  EXPECT_EQ(after("SSH-2.0-OpenSSH_9.2\r\n"), Heard::sshd);
  EXPECT_EQ(unread(), "SSH-2.0-OpenSSH_9.2\r\n");
}

TEST_F(GreetingTest, WaitsForAllOfIt) {
  EXPECT_EQ(greeting_.listen(ours_.get()), Heard::nothing);
  EXPECT_EQ(after("SS"), Heard::nothing);
  EXPECT_EQ(after("H"), Heard::nothing);
  EXPECT_EQ(after("-"), Heard::sshd);
}

TEST_F(GreetingTest, SkipsLinesBeforeIt) {
  EXPECT_EQ(after("SSHhh: this is SSH-"), Heard::nothing);
  EXPECT_EQ(after("land\r\n\r\nSSH-2.0-x"), Heard::sshd);
  EXPECT_EQ(unread(), "SSH-2.0-x");
}

TEST_F(GreetingTest, KnowsWhatWasSaidBeforeHangingUp) {
  EXPECT_EQ(after("Exceeded MaxStartups\r\n"), Heard::nothing);
  EXPECT_EQ(after_hanging_up(), Heard::hang_up);
  EXPECT_EQ(greeting_.words(), "Exceeded MaxStartups");
}

TEST_F(GreetingTest, HearsAHangUpWithoutAWord) {
  EXPECT_EQ(after_hanging_up(), Heard::hang_up);
  EXPECT_EQ(greeting_.words(), "");
}

TEST_F(GreetingTest, IsNoSshdThatTalksWithoutAnEnd) {
  EXPECT_THROW(after(std::string(9'000, 'x')), Error);
}

}  // namespace
}  // namespace adarun::launcher
