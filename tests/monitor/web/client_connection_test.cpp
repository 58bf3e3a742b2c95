// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/client_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::monitor::web {
namespace {

class ClientConnectionOverASocket : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = base::FileDescriptor(ends[0]);
    client_ = base::FileDescriptor(ends[1]);
  }

  // As much as the socket takes at once.
  std::size_t send(const std::string& bytes) const {
    const ssize_t size = ::send(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return size < 0 ? 0 : static_cast<std::size_t>(size);
  }

  base::FileDescriptor ours_;
  base::FileDescriptor client_;
};

TEST_F(ClientConnectionOverASocket, IsOverAfterARequestThatIsTooLong) {
  ClientConnection connection(ours_.get());
  const std::string headers(4096, 'h');
  std::array<char, 1000> bytes{};
  std::size_t all = 0;
  for (std::size_t sent = send(headers);; sent += send(headers)) {
    const ssize_t size = connection.read(bytes.data(), bytes.size());
    if (size < 0) break;
    all += static_cast<std::size_t>(size);
    ASSERT_LE(all, sent);
    ASSERT_LE(all, ClientConnection::most_request_bytes);
  }
  EXPECT_EQ(all, ClientConnection::most_request_bytes);
  EXPECT_EQ(connection.read(bytes.data(), bytes.size()), -1);
}

TEST_F(ClientConnectionOverASocket, GivesWhatCameThenItsEnd) {
  ClientConnection connection(ours_.get());
  ASSERT_EQ(send("GET /"), 5U);
  client_.reset();
  std::array<char, 1000> bytes{};
  EXPECT_EQ(connection.read(bytes.data(), bytes.size()), 5);
  EXPECT_EQ(connection.read(bytes.data(), bytes.size()), 0);
}

TEST(ConnectionSlots, AreGivenToTheNewestOfThoseThatSayNothing) {
  ConnectionSlots slots(2);
  EXPECT_FALSE(slots.enter(3, "a").evicted);
  EXPECT_FALSE(slots.enter(4, "a").evicted);
  EXPECT_EQ(slots.enter(5, "a").evicted, 3);
  EXPECT_EQ(slots.enter(6, "a").evicted, 4) << "what was evicted counts no longer";
  slots.leave(6);
  EXPECT_FALSE(slots.enter(6, "a").evicted);
}

TEST(ConnectionSlots, AreKeptByThoseThatAreAnswered) {
  ConnectionSlots slots(2);
  slots.enter(3, "a");
  slots.keep(3);
  slots.enter(4, "a");
  EXPECT_EQ(slots.enter(5, "a").evicted, 4);
  slots.keep(4);  // Too late.
  slots.keep(5);
  const auto refused = slots.enter(6, "b");
  EXPECT_FALSE(refused.has_room);
  EXPECT_FALSE(refused.evicted);
  slots.leave(3);
  EXPECT_TRUE(slots.enter(3, "b").has_room);
}

TEST(ConnectionSlots, AreSharedBetweenAddresses) {
  ConnectionSlots slots(4);
  slots.enter(3, "one");
  for (int socket = 4; socket < 7; ++socket) slots.enter(socket, "many");
  EXPECT_EQ(slots.enter(7, "many").evicted, 4) << "not the oldest of all, which is the other's";
  EXPECT_EQ(slots.enter(8, "another").evicted, 5);
  std::vector<int> sockets;
  slots.each([&](int socket) { sockets.push_back(socket); });
  EXPECT_EQ(sockets, (std::vector<int>{3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace adarun::monitor::web
