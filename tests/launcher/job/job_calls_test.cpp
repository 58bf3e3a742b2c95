// SPDX-License-Identifier: Apache-2.0
// A job whose ranks ask the launcher for something, or leave something to it.
#include <gtest/gtest.h>

#include "launcher/job/job.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

// Two nodes of two ranks each, all of them started.
class JobCalls : public testing::Test, public JobObserver {
 protected:
  JobCalls() : plan_(plan_of("n[0-1]:2")), job_(plan_, *this, now_) {
    for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0});
    for (std::uint32_t rank = 0; rank < 4; ++rank) hear(rank / 2, protocol::Started{rank, 100 + rank, 0, {}});
    job_.take_outgoing();
  }

  void hear(std::uint32_t node, protocol::Message message) {
    job_.on_event({node, std::move(message)}, now_);
  }
  void exit(std::uint32_t rank) { hear(rank / 2, protocol::Exited{.rank = rank, .time_ns = 1}); }
  void leave_running(std::uint32_t node) { hear(node, protocol::LeftRunning{}); }
  void pass(std::chrono::milliseconds time) { job_.on_time(now_ += time); }
  template <typename T>
  std::size_t sent() {
    std::size_t count = 0;
    for (const Outgoing& out : job_.take_outgoing())
      count += std::holds_alternative<T>(out.message) ? out.nodes.size() : 0;
    return count;
  }
  void on_notice(const std::string& text) override { notices_.push_back(text); }

  Job::Clock::time_point now_{};
  Plan plan_;
  std::vector<std::string> notices_;
  Job job_;
};

TEST_F(JobCalls, LetsWhatRanksLeftRunUntilAllRanksHaveEnded) {
  exit(0);
  exit(1);
  leave_running(0);
  exit(2);
  EXPECT_EQ(sent<protocol::Stop>(), 0U);
  exit(3);
  EXPECT_EQ(sent<protocol::Stop>(), 2U);
  hear(0, protocol::LeftRunning{true, 1, {{"redis-server", 0}}});
  EXPECT_EQ(notices_,
            std::vector<std::string>{"n0: ended 1 process that ranks left running: redis-server (rank 0)"});
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(JobCalls, IsNotEndedByTheLossOfANodeOnWhichOnlySuchProcessesRun) {
  exit(0);
  exit(1);
  leave_running(0);
  job_.on_event({0, LinkLost{"connection reset"}}, now_);
  EXPECT_EQ(sent<protocol::Stop>(), 0U);
  exit(2);
  exit(3);
  hear(1, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(JobCalls, TellsNoAgentOfItsEndWhereRanksLeaveNothing) {
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) exit(rank);
  EXPECT_EQ(sent<protocol::Stop>(), 0U);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  EXPECT_TRUE(job_.ended());
}

TEST_F(JobCalls, EndsWhenARankSpawnsProcesses) {
  hear(1, protocol::Abort{2, 50, "2 processes of ./worker", 1, protocol::EndingCall::spawn});
  EXPECT_EQ(sent<protocol::Stop>(), 2U);
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
  EXPECT_EQ(sent<protocol::NameReply>(), 0U);
  EXPECT_EQ(job_.deadline(), now_ + 60s);
  pass(60s);
  EXPECT_EQ(sent<protocol::NameReply>(), 1U);
  hear(0, protocol::NameRequest{.id = 8, .rank = 1, .names = {{"a", "port", 1}}});
  EXPECT_EQ(sent<protocol::NameReply>(), 1U);
}

}  // namespace
}  // namespace adarun::launcher
