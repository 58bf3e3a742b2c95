// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_diagnosis.h"

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

class HangingJobTest : public JobTest {
 protected:
  HangingJobTest() : JobTest({.hang_timeout = 30s}) {}

  void answer(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) {
      protocol::Answer answer;
      answer.id = rank;
      answer.out = "sleeping";
      hear(rank / 2, answer);
    }
  }
};

TEST_F(HangingJobTest, NamesARankWhoseProgramHasNotBegun) {
  greet_all();
  pass(1s);
  start_ranks({0, 1, 3});
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 3U) << "of those that have a process";
  answer({0, 1, 3});
  EXPECT_EQ(
      failure(),
      "rank 2 on n1 (device 0) hangs: it was to start 31 s ago, and its program has not begun: does the "
      "file system of its program or of its working directory answer?");
}

TEST_F(HangingJobTest, IsEndedThoughItsNodesDoNotAnswer) {
  start_all();
  pass(30s);
  pass_to_deadline();
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
}

TEST_F(HangingJobTest, ContinuesWhereARankPrintsWhileItIsExamined) {
  start_all();
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 4U);
  print({0});
  answer({0, 1, 2, 3});
  pass(29s);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  EXPECT_EQ(notices_, Texts());
  pass(1s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 4U) << "now it hangs again";
}

TEST_F(HangingJobTest, NamesARankThatStaysBehindAndGoesOn) {
  start_all();
  const auto print_every_5_s = [&](const RankList& ranks, int times) {
    for (int i = 0; i < times; ++i) {
      print(ranks);
      pass(5s);
    }
  };
  print_every_5_s({0, 1, 2, 3}, 14);
  print_every_5_s({0, 1, 3}, 6);
  EXPECT_EQ(nodes_told<protocol::Query>(), 1U);
  answer({2});
  print_every_5_s({0, 1, 3}, 20);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  EXPECT_EQ(notices_, (Texts{"rank 2 on n1 (device 0) has been silent for 30 s, while most "
                             "ranks continue; the job continues, too",
                             "2: sleeping"}));
}

TEST_F(HangingJobTest, DoesNotHangWhileItsOutputIsHeldUp) {
  start_all();
  now_ += 60s;
  job_.on_held_up(now_);
  pass(29s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 0U);
}

}  // namespace
}  // namespace adarun::launcher
