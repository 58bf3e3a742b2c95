// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/published_names.h"

#include <gtest/gtest.h>

#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using protocol::NameAction;

class PublishedNamesTest : public testing::Test {
 protected:
  /// Rank N is on node N.
  static protocol::NameRequest request(std::uint32_t rank, NameAction action,
                                       std::vector<protocol::PublishedName> names, std::uint32_t wait_s = 0) {
    return {.id = 40 + rank, .rank = rank, .action = action, .names = std::move(names), .wait_s = wait_s};
  }
  void take(const protocol::NameRequest& request) { names_.take(request.rank, request, nodes_, now_); }
  void publish(std::uint32_t rank, const std::string& name, const std::string& value, bool once = false) {
    protocol::NameRequest wanted = request(rank, NameAction::publish, {{name, value, rank}});
    wanted.once = once;
    take(wanted);
  }
  void look_up(std::uint32_t rank, const std::string& name, std::uint32_t wait_s = 0) {
    take(request(rank, NameAction::look_up, {{name, "", 0}}, wait_s));
  }
  void withdraw(std::uint32_t rank, std::vector<protocol::PublishedName> names) {
    take(request(rank, NameAction::withdraw, std::move(names)));
  }
  void pass(std::chrono::seconds time) { names_.tick(now_ += time, nodes_); }

  /// What was sent since the last call: "2:7=port of 0" is the value of a name for rank 2, with who has
  /// published it.
  std::string replies() {
    static const char* const outcomes[]{"done", "unknown", "taken", "too much", "timed out"};
    std::string text;
    for (const Outgoing& out : nodes_.take_outgoing()) {
      const auto& reply = std::get<protocol::NameReply>(out.message);
      EXPECT_EQ(reply.id, 40 + out.nodes.front()) << "of what that node has asked";
      text += std::to_string(out.nodes.front()) + ": " + outcomes[static_cast<int>(reply.outcome)];
      for (const auto& each : reply.names)
        text += " " + each.name + "=" + each.value + " of " + std::to_string(each.rank);
      text += "; ";
    }
    return text;
  }

  PublishedNames::Clock::time_point now_{};
  Nodes nodes_{4};
  PublishedNames names_;
};

TEST_F(PublishedNamesTest, AreFoundUntilTheirRankWithdrawsThem) {
  look_up(1, "a");
  EXPECT_EQ(replies(), "1: unknown; ");
  publish(0, "a", "port");
  look_up(1, "a");
  look_up(2, "a");
  EXPECT_EQ(replies(), "0: done; 1: done a=port of 0; 2: done a=port of 0; ");
  withdraw(1, {{"a", "", 0}});
  withdraw(0, {{"a", "", 0}});
  look_up(1, "a");
  EXPECT_EQ(replies(), "1: unknown; 0: done; 1: unknown; ") << "by its own rank alone";
}

TEST_F(PublishedNamesTest, AreAllWithdrawnAtOnceWhereNoneIsNamed) {
  publish(0, "a", "1");
  publish(0, "b", "2");
  publish(1, "c", "3");
  withdraw(0, {});
  replies();
  take(request(2, NameAction::look_up, {{"a", "", 0}, {"b", "", 0}, {"c", "", 0}}));
  EXPECT_EQ(replies(), "2: unknown c=3 of 1; ");
}

TEST_F(PublishedNamesTest, BelongToTheRankThatWasFirst) {
  publish(0, "a", "1");
  publish(1, "a", "2");
  publish(0, "a", "3");
  look_up(2, "a");
  EXPECT_EQ(replies(), "0: done; 1: taken; 0: done; 2: done a=3 of 0; ");
}

TEST_F(PublishedNamesTest, AreOfOneServiceEach) {
  publish(0, "a", "1");
  protocol::NameRequest by_pmi = request(1, NameAction::look_up, {{"a", "", 0}});
  by_pmi.service = protocol::Service::pmi;
  take(by_pmi);
  EXPECT_EQ(replies(), "0: done; 1: unknown; ");
}

TEST_F(PublishedNamesTest, AreGoneOnceFoundIfSo) {
  publish(0, "a", "1", true);
  look_up(1, "a");
  look_up(2, "a");
  EXPECT_EQ(replies(), "0: done; 1: done a=1 of 0; 2: unknown; ");
}

TEST_F(PublishedNamesTest, AreAwaited) {
  look_up(2, "a", 600);
  look_up(1, "a", 600);
  EXPECT_EQ(replies(), "");
  publish(0, "a", "1", true);
  EXPECT_EQ(replies(), "0: done; 2: done a=1 of 0; ") << "by the first that asked, as it is gone then";
  publish(0, "a", "2", true);
  EXPECT_EQ(replies(), "0: done; 1: done a=2 of 0; ");
  EXPECT_FALSE(names_.deadline());
}

TEST_F(PublishedNamesTest, AreAwaitedUntilAllAreThere) {
  take(request(3, NameAction::look_up, {{"a", "", 0}, {"b", "", 0}}, 600));
  publish(1, "b", "2");
  EXPECT_EQ(replies(), "1: done; ");
  publish(0, "a", "1");
  EXPECT_EQ(replies(), "0: done; 3: done a=1 of 0 b=2 of 1; ");
}

TEST_F(PublishedNamesTest, AreAwaitedUntilADeadline) {
  look_up(1, "a", 20);
  look_up(2, "a", 10);
  EXPECT_EQ(names_.deadline(), now_ + 10s);
  pass(10s);
  EXPECT_EQ(replies(), "2: timed out; ");
  pass(10s);
  EXPECT_EQ(replies(), "1: timed out; ");
  EXPECT_FALSE(names_.deadline());
  look_up(1, "a", ~0U);
  EXPECT_EQ(names_.deadline(), now_ + PublishedNames::longest_wait);
}

TEST_F(PublishedNamesTest, AreNotAwaitedByANodeThatIsLost) {
  look_up(1, "a", 20);
  names_.forget(1);
  publish(0, "a", "1");
  EXPECT_EQ(replies(), "0: done; ");
}

TEST_F(PublishedNamesTest, HaveLimits) {
  const std::string large(protocol::most_requested_bytes / 2, 'x');
  std::size_t kept = 0;
  for (std::size_t i = 0; i < PublishedNames::most_bytes / large.size() + 1; ++i) {
    publish(0, "name" + std::to_string(i), large);
    kept += replies() == "0: done; " ? large.size() : 0;
  }
  EXPECT_GT(kept, PublishedNames::most_bytes - 2 * large.size());
  EXPECT_LE(kept, PublishedNames::most_bytes);
  publish(1, "one more", large);
  EXPECT_EQ(replies(), "1: too much; ");
  withdraw(0, {});
  publish(1, "one more", large);
  EXPECT_EQ(replies(), "0: done; 1: done; ");
  for (std::size_t i = 0; i <= PublishedNames::most_waiting; ++i) look_up(2, "awaited", 600);
  EXPECT_EQ(replies(), "2: too much; ");
}

TEST_F(PublishedNamesTest, AreRefusedBeyondWhatAnAgentSends) {
  const std::string large(protocol::most_requested_bytes, 'x');
  EXPECT_THROW(publish(0, "a", large), protocol::Error);
  EXPECT_THROW(look_up(0, std::string(PublishedNames::most_name_bytes + 1, 'n')), protocol::Error);
  EXPECT_THROW(take(request(0, NameAction::look_up, {{"a", "b", 0}})), protocol::Error);
  const std::vector<protocol::PublishedName> many(protocol::most_requested_names + 1);
  EXPECT_THROW(take(request(0, NameAction::look_up, many)), protocol::Error);
  EXPECT_THROW(take(request(0, NameAction{3}, {})), protocol::Error);
  EXPECT_EQ(replies(), "");
}

}  // namespace
}  // namespace adarun::launcher
