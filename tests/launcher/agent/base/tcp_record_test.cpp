// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/tcp_record.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {
namespace {

class LoopbackConnection : public testing::Test {
 protected:
  LoopbackConnection() {
    const base::FileDescriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = reinterpret_cast<sockaddr*>(&place);
    socklen_t size = sizeof place;
    EXPECT_EQ(::bind(listener.get(), address, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), address, &size), 0);
    const int server_port = ntohs(place.sin_port);
    client_ = base::FileDescriptor(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(client_.get(), address, size), 0);
    server_ = base::FileDescriptor(::accept(listener.get(), nullptr, nullptr));
    EXPECT_EQ(::getsockname(client_.get(), address, &size), 0);
    variable_ =
        "127.0.0.1 " + std::to_string(ntohs(place.sin_port)) + " 127.0.0.1 " + std::to_string(server_port);
  }

  base::FileDescriptor client_;
  base::FileDescriptor server_;
  std::string variable_;  ///< As sshd's SSH_CONNECTION.
};

TEST_F(LoopbackConnection, IsAcknowledgedUntilItIsClosed) {
  EXPECT_TRUE(ssh_is_acknowledged(variable_)) << variable_;
  ASSERT_EQ(::send(server_.get(), "x", 1, 0), 1);
  EXPECT_TRUE(ssh_is_acknowledged(variable_)) << "nobody has read it, but it has arrived";
  client_.reset();
  server_.reset();
  EXPECT_FALSE(ssh_is_acknowledged(variable_));
}

TEST(SshIsAcknowledged, IsFalseForWhatNamesNoConnectionOfThisMachine) {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1 1 127.0.0.1", "127.0.0.1 1 127.0.0.1 1", "::1 1 ::1 1",
                           "fe80::1%lo 1 ::1 2", "a 1 b 2", "127.0.0.1 70000 127.0.0.1 22", "1 2 3 4"})
    EXPECT_FALSE(ssh_is_acknowledged(text)) << text;
}

}  // namespace
}  // namespace adarun::launcher::agent
