// SPDX-License-Identifier: Apache-2.0
// The endpoints of connections, and connections between them.
#include "adasum/sockets/endpoint.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <string>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"
#include "tests/adasum/failure.h"

namespace adasum::sockets {
namespace {

TEST(Endpoint, IsReadBackFromItsText) {
  for (const Endpoint& endpoint : {Endpoint{"node1", 29500}, {"10.0.0.1", 1}, {"fd00::2", 65535}})
    EXPECT_EQ(parse_endpoint(to_text(endpoint)), endpoint);
  EXPECT_EQ(to_text({"fd00::2", 80}), "[fd00::2]:80");
}

TEST(Endpoint, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "node1", "node1:", ":29500", "node1:0", "node1:65536", "node1:-1",
                           "node1:1x", "node1: 1", "fd00::2:80", "[]:80", "[fd00::2]", "node1:99999999999"}) {
    EXPECT_THROW(parse_endpoint(text), Error) << text;
  }
}

using namespace std::chrono_literals;

/// A lookup whose name server does not answer before `server` has a value, then fails.
std::promise<void> server;
std::promise<void> answered;

int slow_lookup(const char* /*host*/, const char* /*port*/, const addrinfo* /*hints*/, addrinfo** /*found*/) {
  server.get_future().wait_for(30s);
  answered.set_value_at_thread_exit();
  return EAI_AGAIN;
}

int no_lookup(const char* /*host*/, const char* /*port*/, const addrinfo* /*hints*/, addrinfo** /*found*/) {
  return EAI_NONAME;
}

std::string failure_of(Lookup lookup, std::chrono::milliseconds timeout) {
  return failure([&] { resolve({"node1", 29500}, 0, Deadline(timeout), lookup); });
}

TEST(Resolve, AServerThatDoesNotAnswerIsGivenUpAtTheDeadline) {
  EXPECT_EQ(failure_of(slow_lookup, 20ms), "cannot resolve this name: no answer in time");
  server.set_value();
  EXPECT_EQ(answered.get_future().wait_for(30s), std::future_status::ready);
}

TEST(Resolve, SaysWhyThereIsNoAddress) {
  EXPECT_EQ(failure_of(no_lookup, 30s), "cannot resolve this name: Name or service not known");
}

TEST(Resolve, AnAddressIsNotLookedUpByAServer) {
  const Addresses found = resolve({"127.0.0.1", 29500}, 0, Deadline(0ms));
  EXPECT_EQ(found->ai_family, AF_INET);
}

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
