// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/nodes.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

TEST(Nodes, CountThemselvesByState) {
  Nodes nodes(2);
  EXPECT_FALSE(nodes.all_heard());
  nodes.set(0, NodeState::greeted);
  EXPECT_FALSE(nodes.all_greeted());
  nodes.set(1, NodeState::greeted);
  EXPECT_TRUE(nodes.all_greeted());
  EXPECT_TRUE(nodes.all_heard());
  nodes.set(0, NodeState::done);
  EXPECT_FALSE(nodes.all_gone());
  nodes.set(1, NodeState::lost);
  EXPECT_TRUE(nodes.all_gone());
  EXPECT_FALSE(nodes.all_greeted());
}

TEST(Nodes, SendNothingToOneThatIsLost) {
  Nodes nodes(3);
  nodes.set(1, NodeState::lost);
  nodes.broadcast(protocol::Stop{});
  nodes.send(1, protocol::Stop{});
  const std::vector<Outgoing> out = nodes.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_TRUE(nodes.take_outgoing().empty());
}

TEST(Nodes, DropWhatIsQueuedForOne) {
  Nodes nodes(2);
  nodes.broadcast(protocol::Stop{});
  nodes.send(1, protocol::Stop{});
  nodes.drop_queued(1);
  const std::vector<Outgoing> out = nodes.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes, std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace adarun::launcher
