// SPDX-License-Identifier: Apache-2.0
// A job with a node that sends messages that no agent sends.
#include <gtest/gtest.h>

#include <functional>

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

// Two nodes of two ranks each, all of them started.
struct LyingNode : JobHarness {
  LyingNode() { start_all(); }

  std::vector<std::uint32_t> sent_to() {
    const std::vector<Outgoing> out = job_.take_outgoing();
    return out.empty() ? std::vector<std::uint32_t>() : out.front().nodes;
  }
};

TEST(LyingNodeTest, IsGivenUpWhereItSaysWhatNoAgentSays) {
  struct Case {
    const char* why;
    std::function<void(LyingNode&)> says;
  };
  const auto exits_with = [](int code, int signal) {
    return [=](LyingNode& job) { job.exit(3, code, signal); };
  };
  const std::vector<Case> cases{
      {"a second Hello",
       [](LyingNode& job) {
         job.hear(1, protocol::Hello{ADARUN_VERSION, "h", 1, 0});
       }},
      {"a second Ready",
       [](LyingNode& job) {
         job.hear(1, protocol::Ready{});
         job.hear(1, protocol::Ready{});
       }},
      {"a rank is started that was started before",
       [](LyingNode& job) {
         job.hear(1, protocol::Started{3, 7, 0, {}});
       }},
      {"output of a stream that no program has",
       [](LyingNode& job) {
         job.hear(1, protocol::Output{3, protocol::Stream{2}, "x"});
       }},
      {"an end that no process has", exits_with(256, 0)},
      {"an end that no process has", exits_with(-1, 0)},
      {"an end that no process has", exits_with(0, 1 << 30)},
      {"a second end of a rank",
       [](LyingNode& job) {
         job.exit(3, 0);
         job.exit(3, 0);
       }},
      {"a fence of ranks of other nodes",
       [](LyingNode& job) {
         job.hear(1, protocol::Fence{{0}, "x"});
       }},
      {"a request of another node",
       [](LyingNode& job) {
         job.hear(1, protocol::ModexRequest{0, 1, 2});
       }},
      {"a reply to what it was not asked",
       [](LyingNode& job) {
         job.hear(1, protocol::ModexReply{0, 1, 0, ""});
       }},
      {"a second end of what ranks left running",
       [](LyingNode& job) {
         job.hear(1, protocol::LeftRunning{true, 1, {{"x", 2}}});
         job.hear(1, protocol::LeftRunning{true, 1, {{"x", 2}}});
       }},
      {"more names than a rank may publish at once",
       [](LyingNode& job) {
         job.hear(1, protocol::NameRequest{
                         .rank = 2,
                         .names = std::vector<protocol::PublishedName>(protocol::most_requested_names + 1)});
       }},
      {"more requests than may wait for a reply",
       [](LyingNode& job) {
         for (std::uint64_t id = 0; id <= MpiExchange::most_open_requests; ++id)
           job.hear(1, protocol::ModexRequest{1, id, 2});
       }},
  };
  for (const Case& each : cases) {
    LyingNode job;
    each.says(job);
    EXPECT_EQ(job.failure(), "n1: its agent sent an invalid message: " + std::string(each.why));
    job.hear(1, protocol::Output{2, protocol::Stream::out, "more"});
    EXPECT_EQ(job.output_, "") << each.why;
  }
}

TEST(LyingNodeTest, SaysNothingOfRanksOfOtherNodes) {
  LyingNode job;
  job.hear(1, protocol::Output{0, protocol::Stream::out, "not mine"});
  job.hear(1, protocol::Exited{.rank = 0, .code = 7});
  job.hear(1, protocol::Abort{1, 7, "not mine", 1});
  job.hear(1, protocol::Joined{4});
  EXPECT_EQ(job.failure() + job.output_, "");
  EXPECT_EQ(job.joined_, 0U);
}

TEST(LyingNodeTest, IsHeardOnceOfWhatMayBeSaidAgain) {
  LyingNode job;
  for (int i = 0; i < 3; ++i) job.hear(1, protocol::Joined{3});
  EXPECT_EQ(job.joined_, 1U);
  for (int i = 0; i < 3; ++i) job.hear(1, protocol::Abort{3, 7, "out of luck", 1});
  EXPECT_EQ(job.failure(), "rank 3 on n1 (device 1) called MPI_Abort(7): out of luck");
}

TEST(LyingNodeTest, RequestsGoToTheNodeOfTheirRankAndRepliesBack) {
  LyingNode job;
  job.hear(0, protocol::ModexRequest{0, 9, 3});
  EXPECT_EQ(job.sent_to(), std::vector<std::uint32_t>{1});
  job.hear(1, protocol::ModexReply{0, 9, 0, "data"});
  EXPECT_EQ(job.sent_to(), std::vector<std::uint32_t>{0});
  job.hear(0, protocol::ModexRequest{0, 9, 0xFFFF'FFFE});  // A PMIx wildcard, not a particular rank.
  EXPECT_EQ(job.sent_to(), std::vector<std::uint32_t>());
  EXPECT_EQ(job.failure(), "");
}

}  // namespace
}  // namespace adarun::launcher
