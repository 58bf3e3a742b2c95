// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/tcp_record.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/file_descriptor.h"
#include "tests/as_another_user.h"

namespace adarun::launcher::agent {
namespace {

using base::FileDescriptor;

// A port of the loopback interface, IPv4 or IPv6, and connections to it.
class Port {
 public:
  explicit Port(int family) : family_(family), listening_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (family == AF_INET) {
      auto& four = reinterpret_cast<sockaddr_in&>(address_);
      four.sin_family = AF_INET;
      four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else {
      auto& six = reinterpret_cast<sockaddr_in6&>(address_);
      six.sin6_family = AF_INET6;
      six.sin6_addr = in6addr_loopback;
    }
    socklen_t size = sizeof address_;
    open_ = ::bind(listening_.get(), raw(), size) == 0 && ::listen(listening_.get(), 4) == 0 &&
            ::getsockname(listening_.get(), raw(), &size) == 0;
  }

  bool open() const { return open_; }
  int number() const { return ntohs(reinterpret_cast<const sockaddr_in&>(address_).sin_port); }
  FileDescriptor accept() {
    pollfd waiting{listening_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 30'000) != 1) return {};
    return FileDescriptor(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  FileDescriptor connect() {
    FileDescriptor socket(::socket(family_, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(socket.get(), raw(), sizeof address_) == 0 ? std::move(socket) : FileDescriptor();
  }

 private:
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&address_); }

  int family_;
  FileDescriptor listening_;
  sockaddr_storage address_{};
  bool open_ = false;
};

class PeerUid : public testing::TestWithParam<int> {};

TEST_P(PeerUid, IsOursForOurOwnConnection) {
  Port port(GetParam());
  if (!port.open()) GTEST_SKIP() << "no such loopback address here";
  const FileDescriptor near = port.connect();
  EXPECT_EQ(peer_uid(port.accept().get()), ::geteuid());
}

TEST_P(PeerUid, IsThatOfWhoeverConnected) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  Port port(GetParam());
  if (!port.open()) GTEST_SKIP() << "no such loopback address here";
  std::array<int, 2> looked{};
  ASSERT_EQ(::pipe(looked.data()), 0);
  const FileDescriptor wait_end(looked[0]);
  FileDescriptor tell_end(looked[1]);
  FileDescriptor far;
  std::optional<uid_t> uid;
  // The child keeps its end open until the test has checked it.
  const pid_t child = ::fork();
  if (child == 0) {
    tell_end.reset();
    ::_exit(test::as_another_user([&] {
      const FileDescriptor own = port.connect();
      char byte = 0;
      return own && ::read(wait_end.get(), &byte, 1) == 0 ? 0 : 1;
    }));
  }
  far = port.accept();
  uid = peer_uid(far.get());
  tell_end.reset();
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(uid, test::another_uid);
}

TEST_P(PeerUid, IsNotToldOnceTheOtherEndIsClosed) {
  Port port(GetParam());
  if (!port.open()) GTEST_SKIP() << "no such loopback address here";
  FileDescriptor near = port.connect();
  const FileDescriptor far = port.accept();
  near.reset();
  EXPECT_EQ(peer_uid(far.get()), std::nullopt) << "the kernel says 0, which is root's, of what is closed";
}

INSTANTIATE_TEST_SUITE_P(Families, PeerUid, testing::Values(AF_INET, AF_INET6));

TEST(PeerUid, IsNotToldOfOtherSockets) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const FileDescriptor one(ends[0]);
  const FileDescriptor other(ends[1]);
  EXPECT_EQ(peer_uid(one.get()), std::nullopt);
}

TEST(SshIsAcknowledged, IsTrueOfAConnectionUntilItIsClosed) {
  Port port(AF_INET);
  FileDescriptor client = port.connect();
  FileDescriptor server = port.accept();
  sockaddr_in place{};
  socklen_t size = sizeof place;
  ASSERT_EQ(::getsockname(client.get(), reinterpret_cast<sockaddr*>(&place), &size), 0);
  const std::string variable =
      "127.0.0.1 " + std::to_string(ntohs(place.sin_port)) + " 127.0.0.1 " + std::to_string(port.number());
  EXPECT_TRUE(ssh_is_acknowledged(variable)) << variable;
  ASSERT_EQ(::send(server.get(), "x", 1, 0), 1);
  EXPECT_TRUE(ssh_is_acknowledged(variable)) << "nobody has read it, but it has arrived";
  client.reset();
  server.reset();
  EXPECT_FALSE(ssh_is_acknowledged(variable));
}

TEST(SshIsAcknowledged, IsFalseForWhatNamesNoConnectionOfThisMachine) {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1 1 127.0.0.1", "127.0.0.1 1 127.0.0.1 1", "::1 1 ::1 1",
                           "fe80::1%lo 1 ::1 2", "a 1 b 2", "127.0.0.1 70000 127.0.0.1 22", "1 2 3 4"})
    EXPECT_FALSE(ssh_is_acknowledged(text)) << text;
}

}  // namespace
}  // namespace adarun::launcher::agent
