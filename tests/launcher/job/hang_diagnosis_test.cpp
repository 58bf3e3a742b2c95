// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_diagnosis.h"

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

class HangingJobTest : public JobTest {
 protected:
  HangingJobTest() : JobTest({.hang_timeout = 30s}) {}

  void answer(std::uint32_t rank, const std::string& text) {
    protocol::Answer answer;
    answer.id = rank;
    answer.out = text;
    hear(rank / 2, answer);
  }
};

TEST_F(HangingJobTest, IsExaminedAndThenEndedNamingTheRankFurthestBehind) {
  start_all();
  pass(10s);
  for (const std::uint32_t rank : {0U, 1U, 3U})
    hear(rank / 2, protocol::Output{rank, protocol::Stream::out, "x\n"});
  pass(29s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 0U);
  pass(1s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 4U);
  for (std::uint32_t rank = 0; rank < 4; ++rank) answer(rank, "sleeping");
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  EXPECT_EQ(notices_.size(), 4U);
  for (std::uint32_t rank = 0; rank < 4; ++rank) exit(rank, 0, SIGTERM, true);
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 124);
  EXPECT_EQ(job_.report().failures[0].message,
            "rank 2 on n1 (device 0) hangs: silent for 40 s, as are all ranks that run");
}

TEST_F(HangingJobTest, NamesARankWhoseProgramHasNotBegun) {
  greet(0);
  greet(1);
  pass(1s);
  for (const std::uint32_t rank : {0U, 1U, 3U}) hear(rank / 2, protocol::Started{rank, 100 + rank, 0, {}});
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 3U) << "of those that have a process";
  for (const std::uint32_t rank : {0U, 1U, 3U}) answer(rank, "sleeping");
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(
      job_.report().failures[0].message,
      "rank 2 on n1 (device 0) hangs: it was to start 31 s ago, and its program has not begun: does the "
      "file system of its program or of its working directory answer?");
}

TEST_F(HangingJobTest, IsEndedThoughItsNodesDoNotAnswer) {
  start_all();
  pass(30s);
  ASSERT_TRUE(job_.deadline());
  pass(std::chrono::ceil<std::chrono::milliseconds>(*job_.deadline() - now_));
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
}

TEST_F(HangingJobTest, ContinuesWhereARankPrintsWhileItIsExamined) {
  start_all();
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 4U);
  hear(0, protocol::Output{0, protocol::Stream::out, "x\n"});
  for (std::uint32_t rank = 0; rank < 4; ++rank) answer(rank, "sleeping");
  pass(29s);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  EXPECT_EQ(notices_, std::vector<std::string>());
  pass(1s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 4U) << "now it hangs again";
}

TEST_F(HangingJobTest, NamesARankThatStaysBehindAndGoesOn) {
  start_all();
  const auto print = [&](const std::vector<std::uint32_t>& ranks, int times) {
    for (int i = 0; i < times; ++i) {
      for (const std::uint32_t rank : ranks)
        hear(rank / 2, protocol::Output{rank, protocol::Stream::out, "x\n"});
      pass(5s);
    }
  };
  print({0, 1, 2, 3}, 14);
  print({0, 1, 3}, 6);
  EXPECT_EQ(nodes_told<protocol::Query>(), 1U);
  answer(2, "sleeping");
  print({0, 1, 3}, 20);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  EXPECT_EQ(notices_,
            (std::vector<std::string>{"rank 2 on n1 (device 0) has been silent for 30 s, while most "
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
