// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/node_pool.h"

#include <gtest/gtest.h>

#include "base/version.h"
#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using NodeNumbers = std::vector<std::uint32_t>;

// An agent that ends each attempt as soon as it has started it, if it is told to end.
std::vector<protocol::Message> obedient(std::uint32_t /*node*/, const protocol::Message& message) {
  if (!std::holds_alternative<protocol::Stop>(message)) return {};
  return {protocol::Ended{}, protocol::Hello{base::version(), "again", 1, 0}};
}

class PoolOfNodes : public testing::Test {
 protected:
  explicit PoolOfNodes(std::uint32_t nodes = 3, std::chrono::milliseconds hello_timeout = 1h) {
    transport_ = std::make_unique<FakeTransport>(nodes, obedient);
    pool_.emplace(*transport_, nodes, hello_timeout, [this](std::uint32_t node, const std::string& reason) {
      lost_.emplace_back(node, reason);
    });
  }

  // An attempt that has heard them.
  std::unique_ptr<Transport> begin(const NodeNumbers& members) {
    auto attempt = pool_->begin(members);
    attempt->take();
    return attempt;
  }

  // Further nodes, which have sent Hello.
  void add(std::uint32_t nodes) {
    transport_->add(nodes);
    pool_->add(nodes);
  }

  template <typename T>
  static NodeNumbers nodes_with(const std::vector<TransportEvent>& events) {
    NodeNumbers nodes;
    for (const TransportEvent& event : events)
      if (const auto* message = std::get_if<protocol::Message>(&event.what))
        if (std::holds_alternative<T>(*message)) nodes.push_back(event.node);
    return nodes;
  }

  std::unique_ptr<FakeTransport> transport_;
  std::vector<std::pair<std::uint32_t, std::string>> lost_;
  std::optional<NodePool> pool_;
};

TEST_F(PoolOfNodes, GivesAnAttemptItsMembersAlone) {
  const auto attempt = pool_->begin({2, 0});
  EXPECT_EQ(nodes_with<protocol::Hello>(attempt->take()), (NodeNumbers{1, 0}))
      << "in the order of their arrival";
}

TEST_F(PoolOfNodes, BeginsWithTheHelloOfNodesThatAreReady) {
  {
    const auto attempt = begin({0, 1});
    attempt->send({0, 1}, protocol::Start{});
    EXPECT_FALSE(pool_->is_usable(0)) << "its ranks may run";
    EXPECT_TRUE(pool_->is_usable(2));
    attempt->send({0, 1}, protocol::Stop{});
    const auto events = attempt->take();
    EXPECT_EQ(nodes_with<protocol::Ended>(events), (NodeNumbers{0, 1}));
    EXPECT_EQ(nodes_with<protocol::Hello>(events), NodeNumbers{}) << "it is for the next attempt";
  }
  EXPECT_TRUE(pool_->is_usable(0));
  const auto next = pool_->begin({2, 1});
  EXPECT_EQ(nodes_with<protocol::Hello>(next->take()), (NodeNumbers{0, 1}));
}

TEST_F(PoolOfNodes, ReportsASpareThatIsLostAndNoMemberTwice) {
  const auto attempt = begin({0, 1});
  transport_->lose(2, "gone");
  transport_->lose(1, "gone, too");
  const auto events = attempt->take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].node, 1U);
  EXPECT_EQ(std::get<LinkLost>(events[0].what).reason, "gone, too");
  ASSERT_EQ(lost_.size(), 1U);
  EXPECT_EQ(lost_[0].first, 2U);
  EXPECT_FALSE(pool_->is_usable(1));
  EXPECT_FALSE(pool_->is_usable(2));
}

TEST_F(PoolOfNodes, BeginsWithTheLossOfNodesThatAreLost) {
  pool_->begin({0});
  transport_->lose(1, "gone");
  pool_->begin({0})->take();
  pool_->exclude(2);
  const auto events = pool_->begin({1, 0, 2})->take();
  std::vector<std::pair<std::uint32_t, std::string>> losses;
  for (const TransportEvent& event : events)
    if (const auto* lost = std::get_if<LinkLost>(&event.what)) losses.emplace_back(event.node, lost->reason);
  EXPECT_EQ(losses, (std::vector<std::pair<std::uint32_t, std::string>>{{0, "gone"}, {2, "it was left out"}}))
      << "else the attempt would wait for them for good";
}

TEST_F(PoolOfNodes, PutsASpareInThePlaceOfAMember) {
  const auto attempt = begin({0, 1});
  attempt->send({0, 1}, protocol::Start{});
  transport_->lose(1, "gone");
  attempt->take();
  pool_->replace(1, 2);
  EXPECT_EQ(nodes_with<protocol::Hello>(attempt->take()), NodeNumbers{1});
  attempt->send(1, protocol::Start{});
  EXPECT_EQ(transport_->receivers.back(), NodeNumbers{2});
  EXPECT_FALSE(pool_->is_usable(2)) << "its ranks may run";
  transport_->say(1, protocol::Output{0, protocol::Stream::out, "late", 0});
  transport_->lose(2, "gone, too");
  const auto events = attempt->take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].node, 1U);
  EXPECT_TRUE(lost_.empty()) << "it is a member";
}

TEST_F(PoolOfNodes, PutsANodeThatWasAddedInThePlaceOfAMember) {
  const auto attempt = pool_->begin({0, 1});
  add(1);
  attempt->take();
  pool_->replace(1, 3);
  EXPECT_EQ(nodes_with<protocol::Hello>(attempt->take()), NodeNumbers{1});
  EXPECT_FALSE(pool_->is_usable(1));
}

TEST_F(PoolOfNodes, CountsASpareWhoseAgentHasEndedAsLost) {
  const auto attempt = pool_->begin({0, 1});
  transport_->say(2, protocol::Done{});
  attempt->take();
  ASSERT_EQ(lost_.size(), 1U);
  EXPECT_EQ(lost_[0].second, "its agent has ended");
}

TEST_F(PoolOfNodes, TellsAnAgentThatHasEndedFromOneThatIsLost) {
  const auto attempt = begin({0, 1, 2});
  transport_->say(0, protocol::Done{});
  transport_->say(1, protocol::Failed{});
  transport_->say(1, protocol::Done{});
  transport_->lose(2, "gone");
  attempt->take();
  EXPECT_TRUE(pool_->has_ended(0) && !pool_->is_lost(0));
  EXPECT_TRUE(!pool_->has_ended(1) && pool_->is_lost(1)) << "it could not start its ranks";
  EXPECT_TRUE(!pool_->has_ended(2) && pool_->is_lost(2));
  pool_->exclude(0);
  EXPECT_TRUE(pool_->is_lost(0));
}

TEST_F(PoolOfNodes, KeepsMessagesOfAnEarlierAttemptFromTheNextOne) {
  {
    const auto attempt = begin({0});
    attempt->send(0, protocol::Start{});
  }
  const auto next = pool_->begin({0});
  transport_->say(0, protocol::Output{0, protocol::Stream::out, "late", 0});
  EXPECT_TRUE(next->take().empty());
}

TEST_F(PoolOfNodes, SendsNothingToAMemberThatHasEnded) {
  const auto attempt = begin({0, 1});
  attempt->send(0, protocol::Stop{});
  attempt->take();
  const std::size_t sent = transport_->sent.size();
  attempt->send(0, protocol::Signal{10});
  EXPECT_EQ(transport_->sent.size(), sent);
}

TEST_F(PoolOfNodes, SuspendsSparesToo) {
  const auto attempt = begin({0});
  std::size_t reached = 0;
  attempt->send(0, protocol::Suspend{true});
  for (const NodeNumbers& nodes : transport_->receivers)
    if (nodes.size() == 3) ++reached;
  EXPECT_EQ(reached, 1U);
}

TEST_F(PoolOfNodes, UsesNoNodeThatWasExcluded) {
  const auto attempt = pool_->begin({0});
  pool_->exclude(1);
  EXPECT_FALSE(pool_->is_usable(1));
}

TEST_F(PoolOfNodes, SendsAnExcludedAgentHome) {
  const auto attempt = begin({0});
  pool_->exclude(1);
  EXPECT_EQ(transport_->receivers, (std::vector<NodeNumbers>{{1}}));
  EXPECT_TRUE(std::holds_alternative<protocol::Stop>(transport_->sent.front()));
  pool_->exclude(1);
  EXPECT_EQ(transport_->sent.size(), 1U) << "once";
  pool_->exclude(2);
  transport_->say(2, protocol::Hello{base::version(), "late", 1, 0});
  attempt->take();
  EXPECT_EQ(transport_->receivers.back(), NodeNumbers{2});
}

TEST_F(PoolOfNodes, TakesFurtherNodesWhileAnAttemptRuns) {
  const auto attempt = begin({0});
  add(2);
  EXPECT_FALSE(pool_->is_ready(4));
  EXPECT_TRUE(attempt->take().empty()) << "they are no members";
  EXPECT_TRUE(pool_->is_ready(3));
  EXPECT_TRUE(pool_->is_ready(4));
}

class PoolWithShortTimeout : public PoolOfNodes {
 protected:
  PoolWithShortTimeout() : PoolOfNodes(1, 0ms) {}
};

TEST_F(PoolWithShortTimeout, LosesAnAgentThatDoesNotComeBack) {
  const auto attempt = begin({0});
  transport_->say(0, protocol::Ended{});
  attempt->take();
  attempt->take();
  EXPECT_FALSE(pool_->is_usable(0));
}

}  // namespace
}  // namespace adarun::launcher
