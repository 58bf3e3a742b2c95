// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_connector.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/file_descriptor.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

using Answer = SshBanner::Answer;

// Both ends of a connection: the test writes to one, the banner is read from the other.
class SshBannerTest : public testing::Test {
 protected:
  SshBannerTest() { connect_pair(); }
  void connect_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw Error("no socket pair");
    sshd_ = base::FileDescriptor(ends[0]);
    ours_ = base::FileDescriptor(ends[1]);
    banner_ = SshBanner();
  }
  Answer after(std::string_view bytes) {
    if (send(sshd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) throw Error("cannot send");
    return banner_.read(ours_.get());
  }
  Answer after_hanging_up() {
    sshd_.reset();
    return banner_.read(ours_.get());
  }
  // Over TCP bytes arrive with a short delay.
  Answer after_it_is_readable(std::string_view bytes) {
    if (send(sshd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) throw Error("cannot send");
    const std::size_t wanted = std::min(come_ + bytes.size(), std::size_t{4});
    come_ = bytes.ends_with('\n') ? 0 : come_ + bytes.size();
    for (const auto end = Clock::now() + std::chrono::milliseconds(deadline_ms); Clock::now() < end;) {
      std::array<char, 4> peeked{};
      if (recv(ours_.get(), peeked.data(), wanted, MSG_PEEK | MSG_DONTWAIT) >= static_cast<ssize_t>(wanted))
        return banner_.read(ours_.get());
    }
    throw Error("nothing comes");
  }
  bool is_readable(int timeout_ms = 0) const {
    pollfd asked{ours_.get(), POLLIN, 0};
    return poll(&asked, 1, timeout_ms) > 0;
  }
  void connect_by_tcp() {
    const base::FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    socklen_t size = sizeof place;
    auto* address = reinterpret_cast<sockaddr*>(&place);
    ours_ = base::FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(listener.get(), address, size) != 0 || listen(listener.get(), 1) != 0 ||
        getsockname(listener.get(), address, &size) != 0 || connect(ours_.get(), address, size) != 0)
      throw Error("no connection to this machine");
    sshd_ = base::FileDescriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  std::string unread() {
    std::array<char, 100> buffer{};
    const ssize_t size = recv(ours_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  using Clock = std::chrono::steady_clock;
  static constexpr int deadline_ms = 10'000;

  base::FileDescriptor sshd_;
  base::FileDescriptor ours_;
  SshBanner banner_;
  std::size_t come_ = 0;  // Received bytes of the line that has not ended.
};

TEST_F(SshBannerTest, LeavesTheIdentificationUnread) {
  EXPECT_EQ(after("SSH-2.0-OpenSSH_9.2\r\n"), Answer::sshd);
  EXPECT_EQ(unread(), "SSH-2.0-OpenSSH_9.2\r\n");
}

TEST_F(SshBannerTest, WaitsForAllOfIt) {
  EXPECT_EQ(banner_.read(ours_.get()), Answer::incomplete);
  EXPECT_EQ(after("SS"), Answer::incomplete);
  EXPECT_EQ(after("H"), Answer::incomplete);
  EXPECT_EQ(after("-"), Answer::sshd);
}

TEST_F(SshBannerTest, LetsWhoPollsSleepWhileAPartOfItIsThere) {
  connect_by_tcp();
  EXPECT_EQ(after_it_is_readable("SS"), Answer::incomplete);
  EXPECT_FALSE(is_readable());
  EXPECT_EQ(after_it_is_readable("H-"), Answer::sshd);
  EXPECT_TRUE(is_readable());
}

TEST_F(SshBannerTest, WakesWhoPollsWhenThereIsLessThanThat) {
  connect_by_tcp();
  EXPECT_EQ(after_it_is_readable("S"), Answer::incomplete);
  EXPECT_EQ(after_it_is_readable("end of\n"), Answer::incomplete);
  EXPECT_EQ(after_it_is_readable("S"), Answer::incomplete);
  sshd_.reset();
  EXPECT_TRUE(is_readable(deadline_ms));
  EXPECT_EQ(banner_.read(ours_.get()), Answer::hang_up);
  EXPECT_EQ(banner_.words(), "Send of");
}

TEST_F(SshBannerTest, SkipsLinesBeforeIt) {
  EXPECT_EQ(after("SSHhh: this is SSH-"), Answer::incomplete);
  EXPECT_EQ(after("land\r\n\r\nSSH-2.0-x"), Answer::sshd);
  EXPECT_EQ(unread(), "SSH-2.0-x");
}

// Before anything, and in the middle of the identification, there is none.
TEST_F(SshBannerTest, KnowsWhatWasSaidBeforeHangingUp) {
  for (const auto& [said, words] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"SSH", ""}, {"Exceeded MaxStartups\r\n", "Exceeded MaxStartups"}}) {
    connect_pair();
    if (!said.empty()) {
      EXPECT_EQ(after(said), Answer::incomplete) << said;
    }
    EXPECT_EQ(after_hanging_up(), Answer::hang_up) << said;
    EXPECT_EQ(banner_.words(), words);
  }
}

TEST_F(SshBannerTest, IsNoSshdThatTalksWithoutAnEnd) {
  EXPECT_THROW(after(std::string(9'000, 'x')), Error);
}

}  // namespace
}  // namespace adarun::launcher
