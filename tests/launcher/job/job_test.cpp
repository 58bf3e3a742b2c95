// SPDX-License-Identifier: Apache-2.0
// Single rules of a job; scenarios_test.cpp has whole ones.
#include "launcher/job/job.h"

#include <csignal>

#include "base/version.h"
#include "launcher/job/job_signals.h"
#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

TEST_F(JobTest, WhatCameFirstIsDecidedByTheClocksAndNotByWhatWasHeardFirst) {
  start_all();
  deal({0, ClockReading{1'000'000'000, 0, 0}});  // n0's clock is a second ahead.
  deal({1, ClockReading{0, 0, 0}});
  const auto exit_at = [this](std::uint32_t rank, int code, std::int64_t time_ns) {
    hear(rank / 2, protocol::Exited{.rank = rank, .code = code, .time_ns = time_ns});
  };
  exit_at(0, 1, 1'040'000'000);
  exit_at(2, 7, 20'000'000);
  exit_at(3, 5, 30'000'000);
  exit_at(1, 6, 1'020'500'000);
  EXPECT_EQ(end(), 7);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(failure(), "rank 2 on n1 (device 0) failed first: exit code 7");
  EXPECT_EQ(job_.report().beside, RankList{1});
  EXPECT_EQ(job_.report().followers, (RankList{3, 0}));
}

TEST_F(JobTest, ALostNodeIsTheFailureAndRanksFollow) {
  start_all();
  lose(1, "cut off");
  exit(0, 3);
  be_stopped({1});
  EXPECT_EQ(end(), 125);
  EXPECT_EQ(job_.report().followers, RankList{0});
}

TEST_F(JobTest, ASignalGives128AndItsNumber) {
  start_all();
  exit(0, 0, SIGSEGV);
  EXPECT_EQ(end(), 128 + SIGSEGV);
}

TEST(Job, MpiAbortGivesItsCodeAndNeverZero) {
  for (const auto& [code, status] : {std::pair{7, 7}, {0, 1}, {256, 1}, {-1, 255}}) {
    JobHarness job;
    job.greet_all();
    job.hear(0, protocol::Abort{1, code, ""});
    EXPECT_EQ(job.end(), status) << code;
  }
}

TEST_F(JobTest, NamesEveryNodeThatCannotBeReachedAndStartsNothing) {
  lose(0, "cannot connect");
  EXPECT_FALSE(job_.ended());
  lose(1, "no route");
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().failures.size(), 2U);
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(nodes_told<protocol::Start>(), 0U);
}

TEST_F(JobTest, WaitsOnlyShortlyForOtherNodesOnceOneCannotBeReached) {
  lose(0, "cannot connect");
  pass(1001ms);
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().failures.size(), 1U);
}

TEST_F(JobTest, DoesNotWaitForEverForANodeThatNeverSaysDone) {
  start_all();
  exit(0, 1);
  hear(0, protocol::Done{});
  EXPECT_GT(job_.deadline(), now_ + plan_.options.grace);
  pass_to_deadline();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(notices_,
            Texts{"n1: has not said that its processes are gone; its agent ends them within its lease"});
}

TEST_F(JobTest, SaysThatItWasAdarunStopThatEndedIt) {
  start_all();
  job_.on_interrupt(stop_signal(), now_);
  EXPECT_EQ(failure(), "ended by adarun stop");
  EXPECT_EQ(sent<protocol::Stop>(), std::vector{protocol::Stop{false}});
  job_.on_interrupt(stop_signal(), now_);
  EXPECT_EQ(sent<protocol::Stop>(), std::vector{protocol::Stop{true}});
  EXPECT_EQ(end(), 130);
}

TEST_F(JobTest, TellsOfEachStep) {
  job_.on_forward(SIGUSR1);  // No rank has started yet.
  start_all();
  hear(0, protocol::Ready{true, ""});
  hear(1, protocol::Ready{false, "no libpmix"});
  job_.on_forward(SIGUSR2);
  job_.on_interrupt(SIGINT, now_);
  job_.on_interrupt(SIGINT, now_);
  EXPECT_EQ(steps_, "0 with MPI;1 without MPI;signal " + std::to_string(SIGUSR2) + ";TERM;KILL;");
}

TEST_F(JobTest, OutOfTimeWhileConnectingIsSaidOnce) {
  pass(1h);
  pass(100ms);
  pass(100ms);
  EXPECT_EQ(job_.report().failures.size(), 1U);
  pass(1s);
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 124);
  EXPECT_EQ(failure(), "out of time: the job ran for 3600 s");
}

TEST_F(JobTest, EndsEverywhereWhenTheLauncherCannotGoOn) {
  start_all();
  throw_ = true;
  EXPECT_THROW(print({0}), std::runtime_error);
  job_.on_broken("disk full", now_);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  EXPECT_EQ(end(), 125);
  EXPECT_EQ(failure(), "disk full");
}

TEST_F(JobTest, AReaderThatLeftEndsTheJobOnceAndWithGrace) {
  start_all();
  job_.on_interrupt(SIGPIPE, now_);
  job_.on_interrupt(SIGPIPE, now_);
  const auto out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes.size(), 2U);
  EXPECT_EQ(out[0].message, protocol::Message(protocol::Stop{false}));
  EXPECT_EQ(end(), 128 + SIGPIPE);
}

TEST_F(JobTest, ManyInterruptsDoNotPutOffTheEnd) {
  start_all();
  job_.on_interrupt(SIGINT, now_);
  const auto first = *job_.deadline();
  job_.on_interrupt(SIGINT, now_);
  const auto deadline = *job_.deadline();
  EXPECT_LT(deadline, first);
  now_ += 1s;
  job_.on_interrupt(SIGINT, now_);
  EXPECT_EQ(*job_.deadline(), deadline);
}

TEST_F(JobTest, IsNotWellWhileTheEndOfARankIsUnknown) {
  start_all();
  exit_well({0, 1, 2});
  EXPECT_EQ(end(), 125);
  EXPECT_EQ(failure(), "rank 3 on n1 (device 1): its agent did not say how it ended");
}

TEST_F(JobTest, AMissingProgramIs127) {
  greet_all();
  hear(0, protocol::Failed{protocol::StartFailure::not_found, "./x: no such program"});
  EXPECT_EQ(end(), 127);
  EXPECT_EQ(failure(), "n0: ./x: no such program");
}

TEST_F(JobTest, IsNotRefusedByANodeAlone) {
  greet_all();
  hear(1, protocol::Failed{protocol::StartFailure::refused, "folder \"/x\": No such file or directory"});
  hear(0, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  end();
  EXPECT_FALSE(job_.report().is_refused);
  EXPECT_EQ(failure(), "n1: folder \"/x\": No such file or directory");
}

TEST_F(JobTest, RefusesAnAgentOfAnotherVersion) {
  hear(0, protocol::Hello{"0.0.1", "h", 1, 0});
  greet(1);
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(job_.report().failures.front().node, 0U);
  EXPECT_EQ(job_.report().failures.front().kind, Failure::Kind::could_not_start);
}

TEST_F(JobTest, NamesASingletonAmongMpiRanks) {
  start_all();
  join({0, 1, 2});
  exit_well({0, 1, 2, 3});
  EXPECT_EQ(end(), 0);
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0].substr(0, 6), "rank 3");
}

TEST_F(JobTest, ARankThatLeavesMpiOpenHasFailed) {
  start_all();
  hear(1, protocol::Exited{.rank = 2, .mpi_connected = true});
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  EXPECT_EQ(end(), 1);
  EXPECT_EQ(failure(),
            "rank 2 on n1 (device 0) failed first: it called MPI_Init, and exited 0 without MPI_Finalize");
}

TEST(Job, ARankThatStaysOutOfMpiFailsTheJobInWhicheverOrder) {
  for (const bool joins_first : {true, false}) {
    JobHarness job;
    job.start_all();
    if (joins_first) job.join({0});
    job.exit(3);
    EXPECT_EQ(job.failure().empty(), !joins_first);
    if (!joins_first) job.join({0});
    EXPECT_EQ(
        job.failure(),
        "rank 3 on n1 (device 1) exited 0 without joining MPI, while others wait for it there: it ran as a "
        "singleton");
    EXPECT_EQ(job.end(), 1);
    EXPECT_EQ(job.job_.report().failures.size(), 1U);
  }
}

TEST_F(JobTest, LetsWhatRanksLeftRunUntilAllRanksHaveEnded) {
  start_all();
  exit_well({0, 1});
  hear(0, protocol::LeftRunning{});
  exit(2);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  exit(3);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  EXPECT_EQ(end(), 0);
}

TEST_F(JobTest, IsNotEndedByTheLossOfANodeOnWhichOnlyProcessesRunThatRanksLeft) {
  start_all();
  exit_well({0, 1});
  hear(0, protocol::LeftRunning{});
  exit(2);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  lose(0, "connection reset");
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  exit(3);
  EXPECT_EQ(end(), 0);
}

TEST_F(JobTest, EndsWhenARankSpawnsProcesses) {
  start_all();
  hear(1, protocol::Abort{2, 50, "2 processes of ./worker", 1, protocol::EndingCall::spawn});
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  EXPECT_EQ(
      failure(),
      "rank 2 on n1 (device 0) asked for 2 processes of ./worker by MPI_Comm_spawn: adarun starts none while "
      "a job runs (docs/ranks.md#mpi)");
  EXPECT_EQ(job_.report().exit_status(), 50);
}

TEST_F(JobTest, AnswersWhatRanksPublishAndLookUp) {
  start_all();
  hear(1, protocol::NameRequest{.id = 7,
                                .rank = 3,
                                .action = protocol::NameAction::look_up,
                                .names = {{"a", "", 0}},
                                .wait_s = 60});
  hear(0, protocol::NameRequest{.id = 7, .rank = 3, .names = {{"a", "not its rank", 3}}});
  EXPECT_EQ(nodes_told<protocol::NameReply>(), 0U);
  EXPECT_EQ(job_.deadline(), now_ + 60s);
  pass(60s);
  EXPECT_EQ(nodes_told<protocol::NameReply>(), 1U);
  hear(0, protocol::NameRequest{.id = 8, .rank = 1, .names = {{"a", "port", 1}}});
  EXPECT_EQ(nodes_told<protocol::NameReply>(), 1U);
}

// Every node must get a folder first.
class StagingJobTest : public JobTest {
 protected:
  StagingJobTest()
      : JobTest({}, "n[0-2]", {.stage = {{"data", {"data", protocol::StageKind::folder, 0755, 0, ""}}}}) {
    greet_all();
  }

  void fail(std::uint32_t node) {
    hear(node, protocol::Failed{protocol::StartFailure::could_not_start,
                                "cannot stage \"data\": Read-only file system"});
  }
};

TEST_F(StagingJobTest, NamesAllNodesThatFailAboutTheSameTime) {
  fail(1);
  EXPECT_FALSE(job_.ended()) << "another one may fail as well";
  fail(2);
  pass_to_deadline();
  ASSERT_TRUE(job_.ended());
  ASSERT_EQ(job_.report().failures.size(), 2U);
  EXPECT_EQ(job_.report().failures[1].message, "n2: cannot stage \"data\": Read-only file system");
  EXPECT_EQ(job_.report().exit_status(), 125);
}

TEST_F(StagingJobTest, EndsAtOnceWhenAllNodesAreGone) {
  for (std::uint32_t node = 0; node < 3; ++node) {
    fail(node);
    hear(node, protocol::Done{});
  }
  EXPECT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().failures.size(), 3U);
}

// What the report says to those who decide whether, and when, the job runs again. Its agents stay for that.
struct NextAttemptTest : JobTest {
  explicit NextAttemptTest(int restarts = 1) : JobTest({.restarts = {.most = restarts}}) { start_all(); }

  std::chrono::milliseconds lease() const { return std::chrono::milliseconds(plan_.nodes[1].start.lease_ms); }
};

TEST_F(NextAttemptTest, IsNotWantedAfterAnInterruptWhileTheJobIsStopped) {
  exit(0, 7);
  job_.on_interrupt(SIGINT, now_);
  job_.on_interrupt(SIGINT, now_);
  EXPECT_EQ(end(), 7);
  EXPECT_TRUE(job_.report().was_cut_short());
  EXPECT_EQ(job_.report().failures.size(), 2U) << "the interrupt counts once";
}

TEST_F(NextAttemptTest, MayBeginAtOnceWhereAllNodesHaveSaidThatTheirRanksEnded) {
  exit(0, 7);
  end();
  EXPECT_EQ(job_.report().runs_on, 0ms);
}

TEST_F(NextAttemptTest, WaitsForRanksOfANodeThatWasLost) {
  lose(1, "cut off", 3s);
  now_ += 1s;
  end();
  EXPECT_EQ(job_.report().runs_on, 2s);
}

struct NextAttemptWithOtherAgentsTest : NextAttemptTest {
  NextAttemptWithOtherAgentsTest() : NextAttemptTest(0) {}
};

TEST_F(NextAttemptWithOtherAgentsTest, WaitsForTheGracePeriodThatTheyGiveRanksBehindSixLeases) {
  lose(1, "cut off", 3s);
  end();
  EXPECT_EQ(job_.report().runs_on, 3s + 5 * lease() + 5s);
}

TEST_F(NextAttemptTest, DoesNotWaitForALostNodeWhoseRanksHadEnded) {
  exit_well({2, 3});
  lose(1, "cut off", 3s);
  end();
  EXPECT_EQ(job_.report().runs_on, 0ms);
}

TEST_F(NextAttemptTest, WaitsForALeaseWhereANodeDoesNotSayThatItsRanksEnded) {
  exit(0, 7);
  hear(0, protocol::Done{});
  pass_to_deadline();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().runs_on, runs_on_unheard(lease()));
}

TEST_F(JobTest, IsGivenUpWhereANodeEndsBeforeItWasToldAnything) {
  greet(0);
  hear(0, protocol::Done{});
  greet(1);
  ASSERT_TRUE(job_.ended() || job_.deadline());
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(failure(), "n0: its agent sent an invalid message: it is done before it was told anything");
}

TEST(Job, HasWhatEarlierAttemptsLeftOfTheTimeout) {
  JobHarness job({.timeout = 10min}, "n[0-1]:2", {.timeout_used = 9min});
  EXPECT_EQ(job.job_.deadline(), job.now_ + 1min);
  job.pass(59s);
  EXPECT_EQ(job.failure(), "");
  job.pass(1s);
  EXPECT_EQ(job.failure(), "out of time: the job ran for 600 s");
}

// A job with a node that sends messages that no agent sends: the second one.
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
      {"a second Hello", {protocol::Hello{base::version(), "h", 1, 0}}},
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
