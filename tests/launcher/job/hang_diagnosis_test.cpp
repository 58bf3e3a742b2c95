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

TEST(HangDiagnosis, ShowsWhatWasKnownBeforeADebuggerTookTooLong) {
  using protocol::Outcome;
  const std::string known = "process 7: train\nState:\tS (sleeping)\n";
  const std::string late = ": has not ended within 10 s\n";
  const struct {
    Outcome outcome;
    std::string out;
    std::string text;
  } cases[] = {
      {Outcome::too_late, known + "gdb:\n", known + "gdb" + late},
      {Outcome::too_late, known + "gdb:\nThread 1\n#0 read", known + "gdb:\nThread 1\n#0 read\ngdb" + late},
      {Outcome::too_late, known + "py-spy:\n", known + "py-spy" + late},
      {Outcome::too_late, known + "py-spy:\n  has failed\ngdb:\n",
       known + "py-spy:\n  has failed\ngdb" + late},
      {Outcome::too_late, known, known + "why\n"},
      {Outcome::too_late, "", "why\n"},
      {Outcome::not_found, "", "why\n"},
      {Outcome::answered, known + "gdb:\n#0 read\n", known + "gdb:\n#0 read\n"},
  };
  for (const auto& each : cases) {
    JobHarness job({.hang_timeout = 30s});
    job.start_all();
    job.pass(30s);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      protocol::Answer answer = protocol::unanswered(rank, each.outcome, "why");
      answer.out = each.out;
      job.hear(rank / 2, answer);
    }
    ASSERT_EQ(job.notices_.size(), 4U);
    EXPECT_EQ(job.notices_[0], "0: " + each.text);
  }
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
