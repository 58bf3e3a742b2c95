// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/connection_slots.h"

#include <gtest/gtest.h>

#include <vector>

namespace adarun::monitor::web {
namespace {

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
