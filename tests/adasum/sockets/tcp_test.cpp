// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/tcp.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

TEST(IsConnectedToItself, IsTrueOfASocketThatHasItsOwnAddressAtTheOtherSide) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  own.sin_port = htons(port_of(socket));
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  EXPECT_TRUE(is_connected_to_itself(socket));
}

TEST(IsConnectedToItself, IsFalseOfBothSidesOfAnotherConnection) {
  const Descriptor listener = listen_on({"127.0.0.1", 0});
  const Descriptor connection = connect_to({"127.0.0.1", port_of(listener)}, Deadline(10s));
  const auto other = accept_from(listener);
  ASSERT_TRUE(other);
  EXPECT_FALSE(is_connected_to_itself(connection));
  EXPECT_FALSE(is_connected_to_itself(*other));
}

}  // namespace
}  // namespace adasum::sockets
