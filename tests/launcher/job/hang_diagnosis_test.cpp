// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_diagnosis.h"

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

class HangingJobTest : public JobTest {
 protected:
  HangingJobTest() : JobTest({.hang_timeout = 30s}) {}

  /// The next queries, which are about these ranks.
  void answer(const RankList& ranks) {
    for (const std::string what : {"sleeping", "#0 read"})
      for (const std::uint32_t rank : ranks) {
        protocol::Answer answer;
        answer.id = next_query_++;
        answer.out = what;
        hear(rank / 2, answer);
      }
  }

  std::uint32_t next_query_ = 0;
};

TEST_F(HangingJobTest, NamesARankWhoseProgramHasNotBegun) {
  greet_all();
  pass(1s);
  start_ranks({0, 1, 3});
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 6U) << "two of those that have a process";
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

TEST(HangDiagnosis, ShowsWhatIsKnownThoughADebuggerTookTooLongOrPrintedTooMuch) {
  using protocol::Outcome;
  const std::string late = ": has not ended within 10 s\n";
  const std::size_t limit = protocol::Query().limit_bytes;
  const struct {
    Outcome outcome;
    std::string out;
    std::string text;
    std::string reason = "why";
  } cases[] = {
      {Outcome::too_late, "gdb:\n", "gdb" + late},
      {Outcome::too_late, "gdb:\nThread 1\n#0 read", "gdb:\nThread 1\n#0 read\ngdb" + late},
      {Outcome::too_late, "py-spy:\n", "py-spy" + late},
      {Outcome::too_late, "py-spy:\n  has failed: no\ngdb:\n", "py-spy:\n  has failed: no\ngdb" + late},
      {Outcome::too_late, "",
       "stack: no debugger was started within 10 s: other ranks of the node came first\n",
       "sh -c x: its turn has not come within 10 s"},
      {Outcome::too_late, "", "stack: the search for a debugger has not ended within 10 s\n"},
      {Outcome::too_much, std::string(limit, '#'),
       std::string(limit, '#') + "\n... the rest of this output is cut off\n"},
      {Outcome::not_found, "", "why\n"},
      {Outcome::answered, "gdb:\n#0 read\n", "gdb:\n#0 read\n"},
      {Outcome::answered, "", ""},
  };
  for (const auto& each : cases) {
    JobHarness job({.hang_timeout = 30s});
    job.start_all();
    job.pass(30s);
    const std::string facts = "process 7: train\nState:\tS (sleeping)\n";
    for (const bool first : {true, false})
      for (std::uint32_t rank = 0; rank < 4; ++rank) {
        const std::uint32_t id = rank + (first ? 0 : 4);
        protocol::Answer answer =
            protocol::unanswered(id, first ? Outcome::answered : each.outcome, each.reason);
        answer.out = first ? facts : each.out;
        job.hear(rank / 2, answer);
      }
    ASSERT_EQ(job.notices_.size(), 4U);
    EXPECT_EQ(job.notices_[0], "0: " + facts + each.text);
  }
}

TEST_F(HangingJobTest, AsksForTheFactsOfAllRanksBeforeADebuggerMayTakeTheTime) {
  start_all();
  pass(30s);
  std::string asked;
  for (const auto& query : sent<protocol::Query>()) asked += query.argv.back() + ' ';
  EXPECT_EQ(asked, "facts facts facts facts stack stack stack stack ");
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    protocol::Answer facts;
    facts.id = rank;
    facts.out = "sleeping";
    hear(rank / 2, facts);
  }
  EXPECT_EQ(notices_, Texts());
  pass_to_deadline();
  EXPECT_EQ(notices_, (Texts{"0: sleeping", "1: sleeping", "2: sleeping", "3: sleeping"}));
}

TEST_F(HangingJobTest, ContinuesWhereARankPrintsWhileItIsExamined) {
  start_all();
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 8U);
  print({0});
  answer({0, 1, 2, 3});
  pass(29s);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  EXPECT_EQ(notices_, Texts());
  pass(1s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 8U) << "now it hangs again";
}

TEST_F(HangingJobTest, TakesALateAnswerForNoneOfTheNextExamination) {
  start_all();
  pass(30s);
  print({0});
  pass_to_deadline();
  EXPECT_EQ(nodes_told<protocol::Query>(), 8U);
  pass(30s);
  EXPECT_EQ(nodes_told<protocol::Query>(), 8U);
  protocol::Answer late;
  late.out = "late";
  hear(0, late);
  next_query_ = 8;
  answer({1, 2, 3, 0});
  const std::string text = ": sleeping\n#0 read";
  EXPECT_EQ(notices_, (Texts{"1" + text, "2" + text, "3" + text, "0" + text}));
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
  EXPECT_EQ(nodes_told<protocol::Query>(), 2U);
  answer({2});
  print_every_5_s({0, 1, 3}, 20);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  EXPECT_EQ(notices_, (Texts{"rank 2 on n1 (device 0) has been silent for 30 s, while most "
                             "ranks continue; the job continues, too",
                             "2: sleeping\n#0 read"}));
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
