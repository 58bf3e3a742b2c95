// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/elasticity.h"

#include <csignal>

#include "tests/launcher/job/elastic_job.h"

namespace adarun::launcher {
namespace {

TEST_F(ElasticJobTest, ContinuesWithoutARankThatFailsAndEndsWell) {
  start();
  exit(2, 7);
  EXPECT_EQ(told(2), members_of(2, {0, 1, 3}));
  EXPECT_EQ(notices_, Texts{"rank 2 on n1 (device 0): exit code 7; the job continues with 3 of 4 ranks"});
  exit_well({0, 1, 3});
  EXPECT_EQ(end(), 0);
  EXPECT_EQ(job_.report().count(RankState::failed), 1U);
}

TEST_F(ElasticJobTest, ContinuesWithoutANodeThatIsLost) {
  start();
  lose(1, "no sign of life for 10 s");
  EXPECT_EQ(told(1), members_of(2, {0, 1}));
  exit_well({0, 1});
  EXPECT_EQ(end(), 0);
}

TEST_F(ElasticJobTest, FailsWithFewerThanTheLeastByTheRankThatWasTooMany) {
  start();
  exit(2, 0, SIGKILL);
  exit(0, 5);
  job_.take_outgoing();
  exit(3, 7);
  const std::vector<Outgoing> out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].message, protocol::Message(members_of(4, {1}))) << "for a last checkpoint";
  EXPECT_EQ(out[1].message, protocol::Message(protocol::Stop{false}));
  exit(1, 9);
  EXPECT_EQ(end(), 7);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(failure(), "rank 3 on n1 (device 1): exit code 7; fewer than --min-ranks 2 are left");
  EXPECT_EQ(job_.report().left, (RankList{0, 2}));
  EXPECT_EQ(job_.report().followers, RankList{1});
}

TEST_F(ElasticJobTest, FailsIfARankDoesNotGoOnWithoutOthers) {
  start({0, 1, 3});
  exit(0, 1);
  EXPECT_TRUE(stops());
}

TEST_F(ElasticJobTest, DoesNotHearARankOfAnotherNode) {
  start({0, 1, 2});
  hear(0, protocol::StaysOn{3});
  exit(0, 1);
  EXPECT_TRUE(stops());
}

TEST_F(ElasticJobTest, FailsWhenARankAborts) {
  start();
  hear(1, protocol::Abort{2, 4, "", 0});
  EXPECT_TRUE(stops());
}

TEST_F(ElasticJobTest, ConnectsTheSameRanksAnewWhereNoneHasEnded) {
  start();
  hear(0, protocol::LostPeer{1, 1});
  hear(1, protocol::LostPeer{3, 1});
  EXPECT_TRUE(job_.take_outgoing().empty());
  EXPECT_LE(job_.deadline(), now_ + 1s);
  pass(1s);
  EXPECT_EQ(told(2), members_of(2, {0, 1, 2, 3}));
  EXPECT_TRUE(notices_.empty());
  hear(0, protocol::LostPeer{1, 1});  // It did not know yet.
  pass(1s);
  EXPECT_TRUE(job_.take_outgoing().empty());
}

TEST_F(ElasticJobTest, SaysOnceWhoIsLeftWhereAConnectionIsLostByTheEndOfARank) {
  start();
  hear(0, protocol::LostPeer{1, 1});
  exit(2, 7);
  EXPECT_EQ(told(2), members_of(2, {0, 1, 3}));
  pass(1s);
  EXPECT_TRUE(job_.take_outgoing().empty());
}

TEST_F(ElasticJobTest, DoesNotFailByARankThatDiesWhenTheOthersHaveEndedWell) {
  start();
  exit_well({0, 1, 2});
  exit(3, 0, SIGKILL);
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_,
            Texts{"rank 3 on n1 (device 1): SIGKILL (Killed), not by adarun; perhaps out of memory; "
                  "the others have ended well"});
  EXPECT_EQ(end(), 0);
}

TEST_F(ElasticJobTest, SaysThatTheOthersHaveEndedWhereNoneIsLeft) {
  start();
  exit_well({0, 1, 2});
  exit(3, 1);
  EXPECT_FALSE(stops());
  EXPECT_EQ(notices_, Texts{"rank 3 on n1 (device 1): exit code 1; the others have ended well"});
  EXPECT_EQ(end(), 0);
}

TEST_F(ElasticJobTest, FailsByTheLastThatRanWhereTheOthersEndedWellLongBefore) {
  start();
  exit_well({2, 3});
  pass(16s);
  exit(0, 5);
  EXPECT_FALSE(stops());
  exit(1, 0, SIGKILL);
  EXPECT_EQ(end(), 137);
  EXPECT_EQ(
      failure(),
      "rank 1 on n0 (device 1): SIGKILL (Killed), not by adarun; perhaps out of memory; no rank is left "
      "that the job could continue from");
}

TEST_F(ElasticJobTest, FailsByTheLastThatRanWhereItConnectedAnewAfterTheOthersHadEndedWell) {
  start();
  exit_well({2, 3});
  hear(0, protocol::LostPeer{1, 1});
  pass(1s);
  job_.take_outgoing();
  lose(0, "no sign of life for 10 s");
  EXPECT_TRUE(stops());
  EXPECT_EQ(failure(), "n0: no sign of life for 10 s; no rank is left that the job could continue from");
}

TEST_F(ElasticJobTest, EndsWellWhereANodeIsLostLongAfterAllRanksEndedWell) {
  start();
  exit_well({0, 1, 2, 3});
  pass(1min);
  lose(1, "no sign of life for 10 s");
  EXPECT_EQ(notices_, Texts{"n1: no sign of life for 10 s; the others have ended well"});
  EXPECT_EQ(end(), 0);
}

TEST_F(ElasticJobTest, EndsWellWhereANodeIsSilentSinceTheOthersEndedWell) {
  start();
  exit_well({0, 1});
  pass(15s);
  lose(1, "no sign of life for 10 s");
  EXPECT_EQ(notices_.back(), "n1: no sign of life for 10 s; the others have ended well");
  EXPECT_EQ(end(), 0);
}

TEST_F(ElasticJobTest, FailsWhereANodeWasHeardLongAfterTheOthersEndedWell) {
  start();
  exit_well({0, 1});
  pass(25s);
  lose(1, "no sign of life for 10 s");
  EXPECT_EQ(failure(), "n1: no sign of life for 10 s; no rank is left that the job could continue from");
}

TEST_F(ElasticJobTest, ContinuesWithoutANodeWhoseAgentIsToldToEnd) {
  start();
  hear(1, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  EXPECT_EQ(told(2), members_of(2, {0, 1}));
  EXPECT_EQ(notices_,
            Texts{"n1: the agent was told to end: Terminated; the job continues with 2 of 4 ranks"});
  exit(2, 0, SIGKILL);  // It ended before its agent could end it: nobody is to be told again.
  exit(3, 3);
  hear(1, protocol::Done{});
  EXPECT_TRUE(job_.take_outgoing().empty());
  exit_well({0, 1});
  EXPECT_EQ(end(), 0);
}

TEST_F(ElasticJobTest, FailsByAnErrorThatARankReportsAfterItHasFinalized) {
  start();
  finalize({2});
  hear(1, protocol::Exited{.rank = 2, .code = 3, .mpi_connected = true, .mpi_finalized = true});
  EXPECT_TRUE(stops());
  EXPECT_TRUE(notices_.empty());
}

TEST_F(ElasticJobTest, NamesNoRankThatHasFinalizedAsAMember) {
  start();
  finalize({0});
  hear(0, protocol::Finalized{2});  // Not one of that node.
  exit(3, 1);
  EXPECT_EQ(told(2), members_of(2, {1, 2}));
  hear(0, protocol::LostPeer{1, 2});
  pass(1s);
  EXPECT_EQ(told(2), members_of(3, {1, 2}));
  finalize({2});
  exit(1, 1);  // Two have ended well, or are about to: so many are enough.
  EXPECT_FALSE(stops());
}

TEST_F(ElasticJobTest, ConnectsTheSameRanksEverMoreSlowly) {
  start();
  std::vector<std::chrono::milliseconds> delays;
  for (std::uint64_t generation = 1; generation <= 10; ++generation) {
    hear(0, protocol::LostPeer{1, generation});
    delays.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(job_.deadline().value() - now_));
    pass_to_deadline();
    EXPECT_EQ(told(2).generation, generation + 1);
  }
  EXPECT_EQ(delays.front(), 300ms);
  EXPECT_EQ(delays[1], 600ms);
  EXPECT_EQ(delays.back(), 60s);
  EXPECT_EQ(reasons_, Texts(10, "connections were lost: the same ranks connect anew"));
  now_ += 20min;
  hear(0, protocol::LostPeer{1, 11});
  EXPECT_EQ(job_.deadline().value() - now_, 300ms);
}

TEST_F(ElasticJobTest, NeedsNoRankThatHasEndedWell) {
  start();
  exit(0, 0);
  exit(2, 1);
  EXPECT_EQ(told(2), members_of(2, {1, 3}));
}

struct ThreeOfFourTest : ElasticJobTest {
  ThreeOfFourTest() : ElasticJobTest(3) {}
};

TEST_F(ThreeOfFourTest, SaysOnceThatFewContinueWhereOthersHaveEndedWell) {
  start();
  exit(2, 0);
  exit(3, 0);
  pass(9s);
  EXPECT_TRUE(notices_.empty());
  pass(1s);
  EXPECT_EQ(notices_, Texts{"2 of 4 ranks have ended well; the job continues with 2 of 4 ranks, fewer than "
                            "--min-ranks 3"});
  EXPECT_FALSE(stops());
  exit(1, 0);
  pass(20s);
  EXPECT_EQ(notices_.size(), 1U);
  exit(0, 0);
  EXPECT_EQ(end(), 0);
}

TEST_F(ThreeOfFourTest, SaysNothingWhereEnoughAreLeftOrTheOthersEndToo) {
  start();
  exit(3, 0);
  pass(20s);
  exit(2, 0);
  finalize({0, 1});
  pass(20s);
  EXPECT_TRUE(notices_.empty());
  exit_well({0, 1});
  EXPECT_EQ(end(), 0);
}

struct HangingElasticJobTest : ElasticJobTest {
  HangingElasticJobTest() : ElasticJobTest(2, 0, 1min) {}
};

TEST_F(HangingElasticJobTest, BlamesNoRankOfALostNode) {
  start();
  lose(1, "no sign of life for 10 s");
  print({0, 1}, "further than those that were lost\n");
  for (int i = 0; i < 9 && failure().empty(); ++i) pass(1min);
  ASSERT_FALSE(job_.report().failures.empty());
  EXPECT_EQ(job_.report().failures[0].kind, Failure::Kind::hung);
  EXPECT_EQ(job_.report().failures[0].rank, 0U);
}

TEST(Elasticity, RefusesAPlaceThatNoRankListensAt) {
  const Texts places{"",        "h:1 cmd=x", "h:1\ncmd=x", "a=b",   "x",      "h:0",
                     "h:70000", ":1",        "[]:1",       "a:b:1", "[a]b:1", std::string(301, 'h')};
  for (const std::string& place : places) {
    JobHarness job;
    job.start_all();
    job.hear(0, protocol::ListensAt{0, "[fd00::1]:4242"});
    EXPECT_EQ(job.failure(), "");
    job.hear(0, protocol::ListensAt{0, place});
    EXPECT_EQ(job.failure(), "n0: its agent sent an invalid message: a rank listens where none can") << place;
  }
}

}  // namespace
}  // namespace adarun::launcher
