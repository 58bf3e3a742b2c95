// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job.h"

#include <gtest/gtest.h>

#include <csignal>

#include "launcher/job/job_signals.h"
#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

TEST_F(JobTest, StartsNothingBeforeEveryNodeHasSaidHello) {
  greet(0);
  EXPECT_EQ(nodes_told<protocol::Start>(), 0U);
  greet(1);
  EXPECT_EQ(nodes_told<protocol::Start>(), 2U);
}

TEST_F(JobTest, EndsWithStatusZeroWhenAllRanksDo) {
  start_all();
  for (std::uint32_t rank = 0; rank < 4; ++rank) exit(rank, 0);
  EXPECT_FALSE(job_.ended());
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
  EXPECT_EQ(job_.report().count(RankState::done), 4U);
}

TEST_F(JobTest, TheFirstFailureStopsAllNodesAndGivesTheStatus) {
  start_all();
  exit(3, 7);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  exit(1, 1);
  exit(0, 0, SIGTERM, true);
  exit(2, 0, SIGTERM, true);
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 7);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].message, "rank 3 on n1 (device 1) failed first: exit code 7");
  EXPECT_EQ(job_.report().count(RankState::stopped), 2U);
  EXPECT_EQ(job_.report().count(RankState::failed), 2U);
}

TEST_F(JobTest, WhatCameFirstIsDecidedByTheClocksAndNotByWhatWasHeardFirst) {
  start_all();
  job_.on_event({0, ClockReading{1'000'000'000, 0, 0}}, now_);  // n0's clock is a second ahead.
  job_.on_event({1, ClockReading{0, 0, 0}}, now_);
  const auto exit_at = [this](std::uint32_t rank, int code, std::int64_t time_ns) {
    protocol::Exited exited;
    exited.rank = rank;
    exited.code = code;
    exited.time_ns = time_ns;
    hear(rank / 2, exited);
  };
  exit_at(0, 1, 1'040'000'000);
  exit_at(2, 7, 20'000'000);
  exit_at(3, 5, 30'000'000);
  exit_at(1, 6, 1'020'500'000);
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 7);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].message, "rank 2 on n1 (device 0) failed first: exit code 7");
  EXPECT_EQ(job_.report().beside, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(job_.report().followers, (std::vector<std::uint32_t>{3, 0}));
}

TEST_F(JobTest, ALostNodeIsTheFailureAndRanksFollow) {
  start_all();
  lose(1, "cut off");
  exit(0, 3);
  exit(1, 0, SIGTERM, true);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(job_.report().followers, (std::vector<std::uint32_t>{0}));
}

TEST_F(JobTest, TellsAWarningOfManyNodesOnce) {
  start_all();
  hear(0, protocol::Ready{true, "", "8 ranks share 2 cores"});
  hear(1, protocol::Ready{true, "", "8 ranks share 2 cores"});
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0], "n0: 8 ranks share 2 cores");
}

TEST_F(JobTest, ASignalGives128AndItsNumber) {
  start_all();
  exit(0, 0, SIGSEGV);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 128 + SIGSEGV);
}

TEST_F(JobTest, MpiAbortGivesItsCodeAndNeverZero) {
  for (const auto& [code, status] : {std::pair{7, 7}, {0, 1}, {256, 1}, {-1, 255}}) {
    Job job(plan_, *this, now_);
    for (std::uint32_t node : {0U, 1U}) job.on_event({node, protocol::Hello{ADARUN_VERSION, "", 1, 0}}, now_);
    job.on_event({0, protocol::Abort{1, code, ""}}, now_);
    for (std::uint32_t node : {0U, 1U}) job.on_event({node, protocol::Done{}}, now_);
    EXPECT_EQ(job.report().exit_status(), status) << code;
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

TEST_F(JobTest, ALostNodeStopsTheOthers) {
  start_all();
  lose(1, "no sign of life");
  EXPECT_EQ(nodes_told<protocol::Stop>(), 1U);
  exit(0, 0, SIGTERM, true);
  exit(1, 0, SIGTERM, true);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(job_.report().count(RankState::lost), 2U);
  EXPECT_EQ(job_.report().failures[0].message, "n1: no sign of life");
}

TEST_F(JobTest, DoesNotWaitForEverForANodeThatNeverSaysDone) {
  start_all();
  exit(0, 1);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.deadline());
  pass(std::chrono::ceil<std::chrono::milliseconds>(*job_.deadline() - now_));
  ASSERT_TRUE(job_.ended());
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0].substr(0, 3), "n1:");
}

TEST_F(JobTest, ASecondInterruptKills) {
  start_all();
  job_.on_interrupt(SIGINT, now_);
  EXPECT_FALSE(job_.ended());
  const auto first = job_.take_outgoing();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].nodes.size(), 2U);
  EXPECT_FALSE(std::get<protocol::Stop>(first[0].message).now);
  job_.on_interrupt(SIGINT, now_);
  EXPECT_TRUE(std::get<protocol::Stop>(job_.take_outgoing()[0].message).now);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 130);
}

TEST_F(JobTest, SaysThatItWasAdarunStopThatEndedIt) {
  start_all();
  job_.on_interrupt(stop_signal(), now_);
  EXPECT_EQ(job_.report().failures.front().message, "ended by adarun stop");
  EXPECT_FALSE(std::get<protocol::Stop>(job_.take_outgoing()[0].message).now);
  job_.on_interrupt(stop_signal(), now_);
  EXPECT_TRUE(std::get<protocol::Stop>(job_.take_outgoing()[0].message).now);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 130);
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

TEST_F(JobTest, OutOfTimeIs124) {
  start_all();
  pass(1h);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 124);
}

TEST_F(JobTest, OutOfTimeWhileConnectingIsSaidOnce) {
  pass(1h);
  pass(100ms);
  pass(100ms);
  EXPECT_EQ(job_.report().failures.size(), 1U);
  pass(1s);
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 124);
  EXPECT_EQ(job_.report().failures[0].message, "out of time: the job ran for 3600 s");
}

TEST_F(JobTest, EndsEverywhereWhenTheLauncherCannotGoOn) {
  start_all();
  throw_ = true;
  EXPECT_THROW(hear(0, protocol::Output{0, protocol::Stream::out, "x"}), std::runtime_error);
  job_.on_broken("disk full", now_);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(job_.report().failures[0].message, "disk full");
}

TEST_F(JobTest, AReaderThatLeftEndsTheJobOnceAndWithGrace) {
  start_all();
  job_.on_interrupt(SIGPIPE, now_);
  job_.on_interrupt(SIGPIPE, now_);
  const auto out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes.size(), 2U);
  EXPECT_FALSE(std::get<protocol::Stop>(out[0].message).now);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 128 + SIGPIPE);
}

TEST_F(JobTest, ManyInterruptsDoNotPutOffTheEnd) {
  start_all();
  job_.on_interrupt(SIGINT, now_);
  job_.on_interrupt(SIGINT, now_);
  const auto deadline = *job_.deadline();
  now_ += 1s;
  job_.on_interrupt(SIGINT, now_);
  EXPECT_EQ(*job_.deadline(), deadline);
}

TEST_F(JobTest, IsNotWellWhileTheEndOfARankIsUnknown) {
  start_all();
  for (std::uint32_t rank = 0; rank < 3; ++rank) exit(rank, 0);
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_EQ(job_.report().failures[0].message, "rank 3 on n1 (device 1): its agent did not say how it ended");
}

TEST_F(JobTest, AMissingProgramIs127) {
  greet(0);
  greet(1);
  hear(0, protocol::Failed{protocol::StartFailure::not_found, "./x: no such program"});
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 127);
  EXPECT_EQ(job_.report().failures[0].message, "n0: ./x: no such program");
}

TEST_F(JobTest, IsRefusedOnlyWhereEveryNodeRefusesIt) {
  const protocol::Failed refused{protocol::StartFailure::refused, "folder \"/x\": No such file or directory"};
  greet(0);
  greet(1);
  hear(1, refused);
  hear(0, refused);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 125);
  EXPECT_TRUE(job_.report().is_refused);
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].message,
            "n1: folder \"/x\": No such file or directory; the other nodes refuse it, too");
}

TEST_F(JobTest, IsNotRefusedByANodeAlone) {
  greet(0);
  greet(1);
  hear(1, protocol::Failed{protocol::StartFailure::refused, "folder \"/x\": No such file or directory"});
  hear(0, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  done_all();
  EXPECT_FALSE(job_.report().is_refused);
  EXPECT_EQ(job_.report().failures[0].message, "n1: folder \"/x\": No such file or directory");
}

TEST_F(JobTest, RefusesAnAgentOfAnotherVersion) {
  hear(0, protocol::Hello{"0.0.1", "h", 1, 0});
  greet(1);
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 125);
}

TEST_F(JobTest, NamesASingletonAmongMpiRanks) {
  start_all();
  mpi_ = true;
  for (std::uint32_t rank = 0; rank < 3; ++rank) exit(rank, 0);
  mpi_ = false;
  exit(3, 0);
  done_all();
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0].substr(0, 6), "rank 3");
}

TEST_F(JobTest, ARankThatLeavesMpiOpenHasFailed) {
  start_all();
  protocol::Exited exited;
  exited.rank = 2;
  exited.mpi_connected = true;
  hear(1, exited);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  done_all();
  EXPECT_EQ(job_.report().exit_status(), 1);
  EXPECT_EQ(job_.report().failures[0].message,
            "rank 2 on n1 (device 0) failed first: it called MPI_Init, and exited 0 without MPI_Finalize");
}

TEST_F(JobTest, ARankThatStaysOutOfMpiFailsTheJobInWhicheverOrder) {
  for (const bool joins_first : {true, false}) {
    Job job(plan_, *this, now_);
    for (std::uint32_t node : {0U, 1U}) job.on_event({node, protocol::Hello{ADARUN_VERSION, "", 1, 0}}, now_);
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      job.on_event({rank / 2, protocol::Started{rank, 1, 0, {}}}, now_);
    protocol::Exited exited;
    exited.rank = 3;
    if (joins_first) job.on_event({0, protocol::Joined{0}}, now_);
    job.on_event({1, exited}, now_);
    EXPECT_EQ(job.report().failures.size(), joins_first ? 1U : 0U);
    if (!joins_first) job.on_event({0, protocol::Joined{0}}, now_);
    ASSERT_EQ(job.report().failures.size(), 1U);
    EXPECT_EQ(
        job.report().failures[0].message,
        "rank 3 on n1 (device 1) exited 0 without joining MPI, while others wait for it there: it ran as a "
        "singleton");
    EXPECT_EQ(job.report().exit_status(), 1);
  }
}

TEST_F(JobTest, PassesOutputOnOnlyFromTheRanksOwnNode) {
  start_all();
  hear(0, protocol::Output{1, protocol::Stream::out, "mine"});
  hear(0, protocol::Output{3, protocol::Stream::out, "not mine"});
  hear(0, protocol::Output{99, protocol::Stream::out, "nobody's"});
  EXPECT_EQ(output_, "1:mine;");
}

TEST_F(JobTest, SendsARequestForARankToItsNodeAndTheAnswerBack) {
  start_all();
  hear(0, protocol::ModexRequest{0, 5, 3});
  auto out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes, std::vector{1U});
  hear(1, protocol::ModexReply{0, 5, 0, "blob"});
  out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].nodes, std::vector{0U});
}

// Every node must get a folder first.
class StagingJobTest : public JobTest {
 protected:
  static AttemptOptions attempt() {
    AttemptOptions attempt;
    attempt.stage = {{"data", {"data", protocol::StageKind::folder, 0755, 0, ""}}};
    return attempt;
  }

  StagingJobTest() : JobTest({}, "n[0-2]", attempt()) {
    for (std::uint32_t node = 0; node < 3; ++node) greet(node);
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
  now_ = *job_.deadline();
  job_.on_time(now_);
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

}  // namespace
}  // namespace adarun::launcher
