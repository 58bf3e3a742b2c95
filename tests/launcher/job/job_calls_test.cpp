// SPDX-License-Identifier: Apache-2.0
// A job whose ranks ask the launcher for something, or leave something to it.
#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

// Two nodes of two ranks each, all of them started.
class JobCalls : public JobTest {
 protected:
  JobCalls() : JobTest(JobOptions{}) { start_all(); }

  void leave_running(std::uint32_t node) { hear(node, protocol::LeftRunning{}); }
};

TEST_F(JobCalls, LetsWhatRanksLeftRunUntilAllRanksHaveEnded) {
  exit(0);
  exit(1);
  leave_running(0);
  exit(2);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  exit(3);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  hear(0, protocol::LeftRunning{true, 1, {{"redis-server", 0}}});
  EXPECT_EQ(notices_,
            std::vector<std::string>{"n0: ended 1 process that ranks left running: redis-server (rank 0)"});
  done_all();
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(JobCalls, IsNotEndedByTheLossOfANodeOnWhichOnlySuchProcessesRun) {
  exit(0);
  exit(1);
  leave_running(0);
  lose(0, "connection reset");
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  exit(2);
  exit(3);
  hear(1, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(JobCalls, TellsNoAgentOfItsEndWhereRanksLeaveNothing) {
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) exit(rank);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  done_all();
  EXPECT_TRUE(job_.ended());
}

TEST_F(JobCalls, EndsWhenARankSpawnsProcesses) {
  hear(1, protocol::Abort{2, 50, "2 processes of ./worker", 1, protocol::EndingCall::spawn});
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
  EXPECT_EQ(
      job_.report().failures.front().message,
      "rank 2 on n1 (device 0) asked for 2 processes of ./worker by MPI_Comm_spawn: adarun starts none while "
      "a job runs (docs/ranks.md#mpi)");
  EXPECT_EQ(job_.report().exit_status(), 50);
}

TEST_F(JobCalls, AnswersWhatRanksPublishAndLookUp) {
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

}  // namespace
}  // namespace adarun::launcher
