// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/joined_transports.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>

#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

using SentTo = std::vector<std::vector<std::uint32_t>>;

class TwoTransports : public testing::Test {
 protected:
  TwoTransports() {
    for (FakeTransport** part : {&first_, &second_}) {
      auto transport = std::make_unique<FakeTransport>(
          2, [](std::uint32_t, const protocol::Message&) { return std::vector<protocol::Message>(); });
      *part = transport.get();
      joined_.add(std::move(transport), 2);
    }
  }

  JoinedTransports joined_;
  FakeTransport* first_ = nullptr;
  FakeTransport* second_ = nullptr;
};

TEST_F(TwoTransports, NumberTheirNodesOneAfterTheOther) {
  std::vector<std::uint32_t> greeted;
  for (const TransportEvent& event : joined_.take()) greeted.push_back(event.node);
  EXPECT_EQ(greeted, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  second_->lose(1, "gone");
  const auto events = joined_.take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].node, 3U);
}

TEST_F(TwoTransports, SendEachNodeItsMessage) {
  joined_.send({3, 0, 1}, protocol::Stop{true});
  joined_.send(2U, protocol::Ping{1});
  EXPECT_EQ(first_->receivers, (SentTo{{0, 1}}));
  EXPECT_EQ(second_->receivers, (SentTo{{1}, {0}}));
}

TEST_F(TwoTransports, AreReadyWhileOneIs) {
  pollfd polled{joined_.ready_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 0), 1);
  const JoinedTransports none;
  polled.fd = none.ready_fd();
  EXPECT_EQ(poll(&polled, 1, 0), 0) << "there is none";
}

// For example hosts of a resize that could not be reached.
TEST(JoinedTransportsTest, ReleaseATransportWhoseNodesAreAllLost) {
  class Watched : public FakeTransport {
   public:
    explicit Watched(bool& released)
        : FakeTransport(
              2, [](std::uint32_t, const protocol::Message&) { return std::vector<protocol::Message>(); }),
          released_(released) {}
    ~Watched() override { released_ = true; }

   private:
    bool& released_;
  };
  JoinedTransports joined;
  std::array<bool, 3> released{};
  std::array<FakeTransport*, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto part = std::make_unique<Watched>(released[i]);
    parts[i] = part.get();
    EXPECT_EQ(joined.add(std::move(part), 2), 2 * i);
  }
  parts[1]->lose(0, "gone");
  parts[1]->lose(0, "gone");
  joined.take();
  EXPECT_FALSE(released[1]) << "one of its nodes is there";
  parts[1]->lose(1, "gone");
  EXPECT_EQ(joined.take().size(), 1U);
  EXPECT_EQ(released, (std::array{false, true, false}));
  parts[2]->say(1, protocol::Done{});
  const auto events = joined.take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].node, 5U) << "the others keep their numbers";
  joined.send({3, 4}, protocol::Stop{true});
  EXPECT_EQ(parts[2]->receivers, SentTo{{0}});
}

}  // namespace
}  // namespace adarun::launcher
