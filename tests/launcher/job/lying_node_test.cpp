// SPDX-License-Identifier: Apache-2.0
// A job with a node that sends messages that no agent sends.
#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

// Two nodes of two ranks each, all of them started; the second one lies.
struct LyingNode : JobHarness {
  LyingNode() { start_all(); }

  RankList sent_to() {
    const std::vector<Outgoing> out = job_.take_outgoing();
    return out.empty() ? RankList() : out.front().nodes;
  }
};

TEST(LyingNodeTest, IsGivenUpWhereItSaysWhatNoAgentSays) {
  using Messages = std::vector<protocol::Message>;
  struct Case {
    const char* why;
    Messages said;
  };
  const protocol::Exited well{.rank = 3};
  const protocol::LeftRunning left{true, 1, {{"x", 2}}};
  const std::vector<protocol::LeftProcess> many_left(protocol::LeftRunning::most_named + 1);
  const std::vector<protocol::PublishedName> many_names(protocol::most_requested_names + 1);
  Messages requests;
  for (std::uint64_t id = 0; id <= MpiExchange::most_open_requests; ++id)
    requests.emplace_back(protocol::ModexRequest{1, id, 2});
  const std::vector<Case> cases{
      {"a second Hello", {protocol::Hello{ADARUN_VERSION, "h", 1, 0}}},
      {"a second Ready", {protocol::Ready{}, protocol::Ready{}}},
      {"a rank is started that was started before", {protocol::Started{3, 7, 0, {}}}},
      {"output of a stream that no program has", {protocol::Output{3, protocol::Stream{2}, "x"}}},
      {"an end that no process has", {protocol::Exited{.rank = 3, .code = 256}}},
      {"an end that no process has", {protocol::Exited{.rank = 3, .code = -1}}},
      {"an end that no process has", {protocol::Exited{.rank = 3, .signal = 1 << 30}}},
      {"a second end of a rank", {well, well}},
      {"a fence of ranks of other nodes", {protocol::Fence{{0}, "x"}}},
      {"a fence of ranks that are not there", {protocol::Fence{{0, 4}, "x"}}},
      {"a fence of ranks that are not there", {protocol::Fence{{0, 1, 2, 3, 3}, "x"}}},
      {"a request of another node", {protocol::ModexRequest{0, 1, 2}}},
      {"a reply to what it was not asked", {protocol::ModexReply{0, 1, 0, ""}}},
      {"a second end of what ranks left running", {left, left}},
      {"more processes that ranks left than it has counted",
       {protocol::LeftRunning{true, 0, {{"sleep", 0}}}}},
      {"more processes that ranks left than it has counted", {protocol::LeftRunning{true, 100, many_left}}},
      {"more names than a rank may publish at once", {protocol::NameRequest{.rank = 2, .names = many_names}}},
      {"more requests than may wait for a reply", requests},
  };
  for (const Case& each : cases) {
    LyingNode job;
    for (const protocol::Message& message : each.said) job.hear(1, message);
    EXPECT_EQ(job.failure(), "n1: its agent sent an invalid message: " + std::string(each.why));
    job.print({2}, "more");
    EXPECT_EQ(job.output_, "") << each.why;
  }
}

TEST(LyingNodeTest, SaysNothingOfRanksOfOtherNodes) {
  LyingNode job;
  job.hear(1, protocol::Output{0, protocol::Stream::out, "not mine"});
  job.hear(1, protocol::Output{99, protocol::Stream::out, "nobody's"});
  job.hear(1, protocol::Exited{.rank = 0, .code = 7});
  job.hear(1, protocol::Abort{1, 7, "not mine", 1});
  job.hear(1, protocol::Joined{4});
  EXPECT_EQ(job.failure() + job.output_, "");
  EXPECT_EQ(job.joined_, 0U);
  job.print({1}, "mine");
  EXPECT_EQ(job.output_, "1:mine;");
}

TEST(LyingNodeTest, IsHeardOnceOfWhatMayBeSaidAgain) {
  LyingNode job;
  job.join({3, 3, 3});
  EXPECT_EQ(job.joined_, 1U);
  for (int i = 0; i < 3; ++i) job.hear(1, protocol::Abort{3, 7, "out of luck", 1});
  EXPECT_EQ(job.failure(), "rank 3 on n1 (device 1) called MPI_Abort(7): out of luck");
}

TEST(LyingNodeTest, RequestsGoToTheNodeOfTheirRankAndRepliesBack) {
  LyingNode job;
  job.hear(0, protocol::ModexRequest{0, 9, 3});
  EXPECT_EQ(job.sent_to(), RankList{1});
  job.hear(1, protocol::ModexReply{0, 9, 0, "data"});
  EXPECT_EQ(job.sent_to(), RankList{0});
  job.hear(0, protocol::ModexRequest{0, 9, 0xFFFF'FFFE});  // A PMIx wildcard, not a particular rank.
  EXPECT_EQ(job.sent_to(), RankList());
  EXPECT_EQ(job.failure(), "");
}

}  // namespace
}  // namespace adarun::launcher
