// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/resolve.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

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

std::string failure(Lookup lookup, std::chrono::milliseconds timeout) {
  try {
    resolve({"node1", 29500}, 0, Deadline(timeout), lookup);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Resolve, AServerThatDoesNotAnswerIsGivenUpAtTheDeadline) {
  EXPECT_EQ(failure(slow_lookup, 20ms), "cannot resolve this name: no answer in time");
  server.set_value();
  EXPECT_EQ(answered.get_future().wait_for(30s), std::future_status::ready);
}

TEST(Resolve, SaysWhyThereIsNoAddress) {
  EXPECT_EQ(failure(no_lookup, 30s), "cannot resolve this name: Name or service not known");
}

TEST(Resolve, AnAddressIsNotLookedUpByAServer) {
  const Addresses found = resolve({"127.0.0.1", 29500}, 0, Deadline(0ms));
  EXPECT_EQ(found->ai_family, AF_INET);
}

}  // namespace
}  // namespace adasum::sockets
