// SPDX-License-Identifier: Apache-2.0
// Spares that take the places of lost nodes while the other ranks continue.
#include "launcher/job/node_replacement.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/blake2b.h"
#include "tests/launcher/job/elastic_job.h"

namespace adarun::launcher {
namespace {

using Orders = std::vector<protocol::StartAgain>;

/// A job with spares s1 and s2 that continues while two ranks are left.
class NodeReplacementTest : public ElasticJobTest {
 protected:
  explicit NodeReplacementTest(const StageList& stage = {}, int restarts = 0,
                               std::optional<std::chrono::milliseconds> hang_timeout = {})
      : ElasticJobTest(2, restarts, hang_timeout, {"s1", "s2"}, stage) {
    if (stage.empty()) start();
  }

  void lose(const std::string& reason, std::chrono::milliseconds runs_on = {}) {
    JobTest::lose(1, reason, runs_on);
  }
  // A spare comes, in the place of a node that is lost now.
  void replace(const std::string& reason = "gone") {
    lose(reason);
    greet(1);
  }
  // The ranks that a spare is told to start, after its Hello.
  RankList started_by_spare() {
    RankList ranks;
    for (const protocol::Start& start : sent<protocol::Start>())
      for (const protocol::RankSpec& part : start.ranks) ranks.push_back(part.rank);
    return ranks;
  }
  void run(const RankList& ranks) {
    start_ranks(ranks);
    join(ranks);
  }
  void stay(const RankList& ranks) {
    for (const std::uint32_t rank : ranks) hear(1, protocol::StaysOn{rank});
  }
  void come(const RankList& ranks) {
    run(ranks);
    stay(ranks);
    for (const std::uint32_t rank : ranks) hear(1, protocol::ListensAt{rank, "s:9"});
  }
};

TEST_F(NodeReplacementTest, IsToldHowMuchOfARankHasComeSoThatItsOutputFollows) {
  hear(1, protocol::Output{2, protocol::Stream::out, "four", 0});
  hear(1, protocol::Output{2, protocol::Stream::err, "more", 4});
  replace();
  const auto starts = sent<protocol::Start>();
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].ranks[0].output_offset, 8U);
  EXPECT_EQ(starts[0].ranks[1].output_offset, 0U);
}

struct ReplacementInAHangTest : NodeReplacementTest {
  ReplacementInAHangTest() : NodeReplacementTest({}, 0, 1min) {}
};

TEST_F(ReplacementInAHangTest, NamesARankWhoseProgramDoesNotBeginOnTheSpare) {
  replace();
  run({2});
  EXPECT_EQ(
      failure_of_hang(3),
      "rank 3 on s1 (device 1) hangs: it was to start 120 s ago, and its program has not begun: does the "
      "file system of its program or of its working directory answer?");
}

TEST_F(NodeReplacementTest, HasRanksThatDoNotWaitForLongForOthersOfItsNode) {
  replace();
  EXPECT_EQ(sent<protocol::JobSpec>(), std::vector{plan_.job_spec});
  run({3});
  stay({3});
  job_.take_outgoing();
  const auto due = job_.deadline();
  ASSERT_TRUE(due);
  EXPECT_LE(*due, now_ + 5s);
  pass_to_deadline();
  EXPECT_EQ(sent<protocol::Members>(), std::vector{members_of(3, {0, 1, 3})});
  EXPECT_EQ(reasons_.back(), "rank 3 on s1 (device 1) comes back");
  run({2});
  stay({2});
  EXPECT_EQ(sent<protocol::Members>(), std::vector{members_of(4, {0, 1, 2, 3})});
}

TEST_F(NodeReplacementTest, MakesARankAMemberOnceThoughItSaysTwiceThatItStaysOn) {
  replace();
  job_.take_outgoing();
  run({2, 3});
  stay({2, 3, 3, 2});
  EXPECT_EQ(sent<protocol::Members>(), std::vector{members_of(3, {0, 1, 2, 3})});
  exit(0, 7);
  EXPECT_EQ(sent<protocol::Members>(), std::vector{members_of(4, {1, 2, 3})});
}

TEST_F(NodeReplacementTest, HasRanksThatDoNotWaitForOneThatEnds) {
  replace();
  job_.take_outgoing();
  run({2});
  exit(2, 9);
  run({3});
  stay({3});
  EXPECT_EQ(sent<protocol::Members>(), std::vector{members_of(3, {0, 1, 3})});
}

TEST_F(NodeReplacementTest, IsToldWhatRanksHavePublished) {
  for (const std::uint32_t node : {0U, 1U})
    hear(node, protocol::Fence{{}, "k" + std::to_string(node) + "=v\n", protocol::Service::pmi});
  hear_from_all(protocol::Fence{{}, "x", protocol::Service::pmix});
  replace();
  const auto starts = sent<protocol::Start>();
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].published, "k0=v\nk1=v\n");
}

TEST_F(NodeReplacementTest, DoesNotComeWhereRanksHavePublishedTooMuch) {
  const std::string much(MpiExchange::most_kept_bytes, 'x');
  hear_from_all(protocol::Fence{{}, much, protocol::Service::pmi});
  lose("gone");
  EXPECT_NE(notices_.back().find("ranks have published more by PMI"), std::string::npos) << notices_.back();
  EXPECT_EQ(spares_.size(), 2U);
}

TEST_F(NodeReplacementTest, IsReplacedItselfIfItDiesAsItComes) {
  replace();
  job_.take_outgoing();
  lose("gone, too");
  EXPECT_EQ(notices_.back(), "s1: gone, too; the job continues with 2 of 4 ranks; s2 takes its place");
  greet(1);
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
  run({2});
  lose("gone as well");
  EXPECT_EQ(notices_.back(),
            "s2: gone as well; the job continues with 2 of 4 ranks; no spare can take its place");
  EXPECT_TRUE(job_.take_outgoing().empty()) << "the members are the same";
  EXPECT_EQ(replaced_, (Texts{"n1", "s1"}));
  exit_well({0, 1});
  EXPECT_EQ(end(), 0);
  EXPECT_EQ(job_.report().left, (RankList{2, 3}));
}

TEST_F(NodeReplacementTest, IsMissedOnceItsRanksAreMembers) {
  replace();
  run({3});
  come({2});
  stay({3});
  job_.take_outgoing();
  lose("gone, too");
  EXPECT_EQ(told(1), members_of(4, {0, 1}));
  EXPECT_EQ(notices_.back(), "s1: gone, too; the job continues with 2 of 4 ranks; s2 takes its place");
  greet(1);
  const auto starts = sent<protocol::Start>();
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].ranks[0].restarts, 2U);
  come({2, 3});
  end_well({0, 1, 2, 3});
  EXPECT_EQ(job_.report().count(RankState::done), 4U);
  EXPECT_TRUE(job_.report().left.empty());
}

TEST_F(NodeReplacementTest, WaitsForTheEndOfAnAgentThatIsToldToEnd) {
  hear(1, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  EXPECT_EQ(notices_.back(),
            "n1: the agent was told to end: Terminated; the job continues with 2 of 4 ranks");
  EXPECT_EQ(spares_.size(), 2U);
  be_stopped({2, 3});
  hear(1, protocol::Done{});
  EXPECT_EQ(notices_.back(), "n1: nothing runs there any more; s1 takes its place");
  greet(1);
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(NodeReplacementTest, WaitsForALeaseIfTheRanksMayRunThatLong) {
  const std::chrono::milliseconds lease{plan_.nodes[1].start.lease_ms};
  lose("what came is no message", lease);
  EXPECT_EQ(notices_.back(), "n1: what came is no message; the job continues with 2 of 4 ranks");
  pass(lease - 1ms);
  EXPECT_EQ(spares_.size(), 2U);
  EXPECT_EQ(job_.deadline(), now_ + 1ms);
  pass(1ms);
  EXPECT_EQ(notices_.back(), "n1: nothing runs there any more; s1 takes its place");
}

TEST_F(NodeReplacementTest, WaitsForALeaseIfTheAgentLies) {
  hear(1, protocol::Started{3, 1, 0, {}});
  EXPECT_EQ(spares_.size(), 2U);
  pass(std::chrono::milliseconds(plan_.nodes[1].start.lease_ms));
  EXPECT_EQ(spares_.size(), 1U);
}

TEST_F(NodeReplacementTest, DoesNotStartRanksThatHaveEndedWell) {
  finalize({2});
  exit(2, 0);
  lose("gone");
  EXPECT_EQ(notices_.back(), "n1: gone; the job continues with 2 of 4 ranks; s1 takes its place");
  greet(1);
  EXPECT_EQ(started_by_spare(), RankList{3});
  hear(1, protocol::Started{2, 5, 0, {}});
  EXPECT_EQ(notices_.back(),
            "s1: its agent sent an invalid message: a rank is started that was started before; the job "
            "continues with 2 of 4 ranks")
      << "it was not told to";
}

TEST_F(NodeReplacementTest, HasNoRankThatHasComeBackBeforeItRuns) {
  replace();
  job_.take_outgoing();
  for (const std::uint32_t rank : {0U, 2U}) {  // One of another node, one that has not been started.
    hear(1, protocol::ListensAt{rank, "s:9"});
    hear(1, protocol::StaysOn{rank});
  }
  EXPECT_TRUE(job_.take_outgoing().empty());
  EXPECT_EQ(notices_, Texts{"n1: gone; the job continues with 2 of 4 ranks; s1 takes its place"});
}

TEST_F(NodeReplacementTest, IsNotTakenWhileTheJobStandsStill) {
  job_.on_suspend(now_);
  job_.take_outgoing();
  lose("gone");
  job_.on_time(now_);
  EXPECT_EQ(spares_.size(), 2U);
  job_.on_continue(now_);
  job_.on_time(now_);
  EXPECT_EQ(notices_.back(), "n1: nothing runs there any more; s1 takes its place");
}

TEST_F(NodeReplacementTest, StartsRanksThatHadFailedBeforeTheirNodeWasLost) {
  exit(2, 7);
  replace();
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(NodeReplacementTest, MayHaveARankThatFailsThere) {
  replace();
  run({2});
  exit(2, 9);
  EXPECT_EQ(notices_.back(), "rank 2 on s1 (device 0): exit code 9; it does not come back");
  come({3});
  end_well({0, 1, 3});
  EXPECT_EQ(job_.report().left, RankList{2});
}

TEST_F(NodeReplacementTest, MayFailToStartTheRanks) {
  replace();
  job_.take_outgoing();
  hear(1, protocol::Failed{protocol::StartFailure::not_found, "rank 2: ./train: No such file or directory"});
  EXPECT_EQ(notices_.back(),
            "s1: rank 2: ./train: No such file or directory; the job continues with 2 of 4 ranks");
  hear(1, protocol::Done{});
  EXPECT_EQ(notices_.back(), "s1: nothing runs there any more; s2 takes its place");
  EXPECT_TRUE(job_.take_outgoing().empty()) << "nothing ends";
}

TEST_F(NodeReplacementTest, IsNotUsedIfItsAgentIsOfAnotherVersion) {
  lose("gone");
  job_.take_outgoing();
  hear(1, protocol::Hello{"0.0.1", "s", 1, 0});
  EXPECT_NE(notices_.back().find("; the job continues with 2 of 4 ranks; s2 takes its place"),
            std::string::npos)
      << notices_.back();
  EXPECT_TRUE(sent<protocol::Stop>().empty()) << "the next spare would get it";
  greet(1);
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(NodeReplacementTest, GetsNothingThatWasForTheSpareBefore) {
  lose("gone");
  job_.take_outgoing();
  greet(1);
  lose("gone, too");
  EXPECT_EQ(started_by_spare(), RankList{});
  hear(1, protocol::Exited{});
  lose("of the one before");
  EXPECT_NE(notices_.back().find("; s2 takes its place"), std::string::npos) << notices_.back();
  greet(1);
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(NodeReplacementTest, IsNotForOthersThatNeedNoneAnyMore) {
  finalize({0, 1});
  lose("gone");
  EXPECT_EQ(spares_.size(), 2U);
}

TEST_F(NodeReplacementTest, DoesNotStartRanksWhileTheOthersStandStill) {
  lose("gone");
  job_.on_suspend(now_);
  job_.take_outgoing();
  greet(1);
  EXPECT_EQ(started_by_spare(), RankList{});
  job_.on_continue(now_ + 1s);
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(NodeReplacementTest, IsNotForANodeWhoseRanksHaveEndedWell) {
  exit_well({2, 3});
  const std::size_t notices = notices_.size();
  lose("gone");
  EXPECT_EQ(notices_.size(), notices);
  EXPECT_EQ(spares_.size(), 2U);
  exit_well({0, 1});
  EXPECT_EQ(end(), 0);
}

TEST_F(NodeReplacementTest, IsLeftToTheNextAttemptIfTooFewRanksAreLeft) {
  exit(0, 7);
  job_.take_outgoing();
  lose("gone");
  EXPECT_EQ(spares_.size(), 2U);
  EXPECT_TRUE(stops());
}

TEST_F(NodeReplacementTest, IsNotEndedIfTheJobStopsBeforeItHasSaidHello) {
  lose("gone");
  job_.take_outgoing();
  job_.on_interrupt(SIGINT, now_);
  for (const Outgoing& out : job_.take_outgoing()) EXPECT_EQ(out.nodes, RankList{0});
  for (const std::uint32_t rank : {0U, 1U}) exit(rank, 0, SIGTERM);
  hear(0, protocol::Done{});
  EXPECT_TRUE(job_.ended());
}

TEST_F(NodeReplacementTest, IsEndedIfTheOthersNeedItNoMore) {
  replace();
  run({2});
  exit_well({0, 1});
  EXPECT_TRUE(stops());
  be_stopped({2, 3});
  EXPECT_EQ(end(), 0);
}

/// The same, with ranks that may be started again, twice in all.
class RestartingSpareTest : public NodeReplacementTest {
 protected:
  RestartingSpareTest() : NodeReplacementTest({}, 2) {}
};

TEST_F(RestartingSpareTest, StartsARankAgainAfterItsNodeWasReplacedWhichDoesNotCount) {
  replace();
  come({2, 3});
  exit(2, 9);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 2}}));
  EXPECT_EQ(notices_.back(),
            "rank 2 on s1 (device 0): exit code 9; the job continues with 3 of 4 ranks; it is started again "
            "(restarts left: 1)");
}

TEST_F(RestartingSpareTest, StartsARankAgainThoughTheAgentOfTheNodeBeforeItFailed) {
  hear(1, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  be_stopped({2, 3});
  hear(1, protocol::Done{});
  greet(1);
  come({2, 3});
  exit(2, 9);
  EXPECT_EQ(sent<protocol::StartAgain>(), (Orders{{2, 2}}));
}

TEST_F(RestartingSpareTest, StartsARankOnceThatWasToBeStartedLaterWhereItWas) {
  exit(2, 7);
  exit(2, 7);
  EXPECT_EQ(notices_.back(),
            "rank 2 on n1 (device 0): exit code 7; it is started again in 1 s (restarts left: 0)");
  replace();
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
  pass(10s);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
}

/// Spares that are sent a file, as each node is, before they take the places of lost nodes.
class StagingSpareTest : public NodeReplacementTest {
 protected:
  StagingSpareTest() : NodeReplacementTest(made_list()) {
    greet_all();
    hear_from_all(protocol::StagePresent{{""}});
    for (const std::uint32_t node : {0U, 1U}) take_file(node);
    run_ranks({0, 1, 2, 3});
    lose("gone");
    job_.take_outgoing();
    greet(1);
  }
  ~StagingSpareTest() override { std::filesystem::remove(path()); }

  static std::filesystem::path path() {
    return std::filesystem::path(testing::TempDir()) / ("staging_spare_test_" + std::to_string(getpid()));
  }
  static StageList made_list() {
    std::ofstream(path()) << "text";
    return read_stage_list({path().string() + ":f"});
  }
  void take_file(std::uint32_t node) {
    hear(node, protocol::StageTaken{4});
    hear(node, protocol::Staged{});
  }
};

TEST_F(StagingSpareTest, GetsItsFilesBeforeItsRanks) {
  EXPECT_EQ(sent<protocol::Stage>().size(), 1U);
  hear(1, protocol::StagePresent{{""}});
  EXPECT_EQ(sent<protocol::StagePart>(), (std::vector<protocol::StagePart>{{0, 0, "text"}}));
  take_file(1);
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(StagingSpareTest, MayHaveTheFilesAlready) {
  base::Blake2b hash;
  hash.update("text");
  hear(1, protocol::StagePresent{{hash.hex()}});
  EXPECT_EQ(job_.deadline(), now_) << "the local file is read";
  job_.on_time(now_);
  job_.on_time(now_);
  EXPECT_EQ(sent<protocol::StageEnd>().size(), 1U);
  hear(1, protocol::Staged{});
  EXPECT_EQ(started_by_spare(), (RankList{2, 3}));
}

TEST_F(StagingSpareTest, IsGivenUpWithAllOthersIfAFileIsGone) {
  std::filesystem::remove(path());
  job_.take_outgoing();
  hear(1, protocol::StagePresent{{""}});
  EXPECT_EQ(sent<protocol::Stop>(), std::vector{protocol::Stop{true}});
  EXPECT_NE(notices_.back().find("; the job continues with 2 of 4 ranks; no spare can take the place of s1"),
            std::string::npos)
      << notices_.back();
}

TEST_F(StagingSpareTest, IsReplacedAtOnceIfItIsLost) {
  lose("gone", 10s);
  EXPECT_NE(notices_.back().find("; s2 takes its place"), std::string::npos) << notices_.back();
}

TEST_F(StagingSpareTest, HasNoRanksToSpeakOf) {
  job_.take_outgoing();
  hear(1, protocol::Abort{2, 1, "x"});
  EXPECT_NE(notices_.back().find("it speaks of ranks before it has any"), std::string::npos)
      << notices_.back();
  EXPECT_FALSE(job_.ending());
}

TEST_F(StagingSpareTest, IsEndedWithItsPartOfTheFilesIfTheJobStops) {
  job_.take_outgoing();
  job_.on_interrupt(SIGINT, now_);
  const std::vector<Outgoing> out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes, (RankList{0, 1}));
}

}  // namespace
}  // namespace adarun::launcher
