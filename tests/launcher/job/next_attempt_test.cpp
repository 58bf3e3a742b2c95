// SPDX-License-Identifier: Apache-2.0
// What the report of a job says to those who decide whether, and when, it runs again.
#include <csignal>
#include <string>

#include "launcher/job/job.h"
#include "launcher/protocol/defaults.h"
#include "tests/launcher/job/job_harness.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

// Two nodes of two ranks each, whose agents stay for another attempt.
struct NextAttemptTest : JobTest {
  explicit NextAttemptTest(int restarts = 1) : JobTest({.restarts = {.most = restarts}}) {}

  const JobReport& end_at_deadline() {
    pass(std::chrono::ceil<std::chrono::milliseconds>(*job_.deadline() - now_));
    EXPECT_TRUE(job_.ended());
    return job_.report();
  }
};

TEST_F(NextAttemptTest, IsNotWantedAfterAnInterruptWhileTheJobIsStopped) {
  start_all();
  exit(0, 7);
  job_.on_interrupt(SIGINT, now_);
  job_.on_interrupt(SIGINT, now_);
  done_all();
  EXPECT_TRUE(job_.report().was_cut_short());
  EXPECT_EQ(job_.report().failures.size(), 2U) << "the interrupt counts once";
  EXPECT_EQ(job_.report().exit_status(), 7);
}

TEST_F(NextAttemptTest, IsNotWantedThoughTheJobWasStoppedForAChangeOfNodes) {
  start_all();
  job_.on_resize(now_);
  job_.on_interrupt(SIGINT, now_);
  done_all();
  EXPECT_TRUE(job_.report().was_cut_short());
  EXPECT_EQ(job_.report().exit_status(), 130);
}

TEST_F(NextAttemptTest, MayBeginAtOnceWhereAllNodesHaveSaidThatTheirRanksEnded) {
  start_all();
  exit(0, 7);
  done_all();
  EXPECT_EQ(job_.report().runs_on, 0ms);
}

TEST_F(NextAttemptTest, WaitsForRanksOfANodeThatWasLost) {
  start_all();
  lose(1, "cut off", 3s);
  now_ += 1s;
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().runs_on, 2s);
}

struct NextAttemptWithOtherAgentsTest : NextAttemptTest {
  NextAttemptWithOtherAgentsTest() : NextAttemptTest(0) {}
};

TEST_F(NextAttemptWithOtherAgentsTest, WaitsForTheGracePeriodThatTheyGiveRanksBehindSixLeases) {
  start_all();
  lose(1, "cut off", 3s);
  hear(0, protocol::Done{});
  const std::chrono::milliseconds lease(plan_.nodes[1].start.lease_ms);
  EXPECT_EQ(job_.report().runs_on, 3s + 5 * lease + 5s);
}

TEST_F(NextAttemptTest, DoesNotWaitForALostNodeWhoseRanksHadEnded) {
  start_all();
  exit(2, 0);
  exit(3, 0);
  lose(1, "cut off", 3s);
  hear(0, protocol::Done{});
  EXPECT_EQ(job_.report().runs_on, 0ms);
}

TEST_F(NextAttemptTest, WaitsForALeaseWhereANodeDoesNotSayThatItsRanksEnded) {
  start_all();
  exit(0, 7);
  hear(0, protocol::Done{});
  const std::chrono::milliseconds lease(plan_.nodes[1].start.lease_ms);
  EXPECT_EQ(end_at_deadline().runs_on, runs_on_unheard(lease));
}

TEST_F(NextAttemptTest, IsDecidedThoughANodeEndsBeforeItWasToldAnything) {
  greet(0);
  hear(0, protocol::Done{});
  greet(1);
  ASSERT_TRUE(job_.ended() || job_.deadline());
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].message,
            "n0: its agent sent an invalid message: it is done before it was told anything");
}

TEST_F(NextAttemptTest, HasWhatEarlierOnesLeftOfTheTimeout) {
  plan_.options.timeout = 10min;
  plan_.timeout_used = 9min;
  Job job(plan_, *this, now_);
  EXPECT_EQ(job.deadline(), now_ + 1min);
  job.on_time(now_ + 59s);
  EXPECT_TRUE(job.report().failures.empty());
  job.on_time(now_ + 60s);
  ASSERT_EQ(job.report().failures.size(), 1U);
  EXPECT_EQ(job.report().failures[0].message, "out of time: the job ran for 600 s");
}

}  // namespace
}  // namespace adarun::launcher
