// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/suspension.h"

#include <csignal>

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

// Two nodes of a rank each, and a timeout of an hour.
class SuspendedJobTest : public JobTest {
 protected:
  SuspendedJobTest() : JobTest({.timeout = 1h}, "n[0-1]:1") {}

  void suspend() {
    greet_all();
    job_.take_outgoing();
    job_.on_suspend(now_);
  }
};

TEST_F(SuspendedJobTest, WaitsUntilAllNodesHaveConfirmedIt) {
  suspend();
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 2U);
  hear(0, protocol::Suspend{true});
  hear(1, protocol::Suspend{false});  // A late reply to an earlier Suspend.
  EXPECT_FALSE(job_.suspended());
  job_.say_suspended();
  EXPECT_EQ(notices_, (Texts{"n1: has not confirmed that its ranks are suspended",
                             "all other ranks are suspended until adarun continues (fg, or kill -CONT); no "
                             "lease runs out meanwhile"}));
  hear(1, protocol::Suspend{true});
  EXPECT_TRUE(job_.suspended());
}

TEST_F(SuspendedJobTest, ContinuesIfItIsStoppedSoThatAgentsHaveTheirLeaseAgain) {
  suspend();
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 2U);
  job_.on_interrupt(SIGINT, now_);
  EXPECT_EQ(sent<protocol::Suspend>(), std::vector<protocol::Suspend>{{false}});
  job_.on_continue(now_);
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 0U) << "it is over";
}

TEST_F(SuspendedJobTest, HasTheTimeThatItWouldHaveHad) {
  suspend();
  now_ += 10h;
  job_.on_continue(now_);
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 4U);
  job_.on_time(now_ + 59min);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 0U);
  job_.on_time(now_ + 1h);
  EXPECT_EQ(nodes_told<protocol::Stop>(), 2U);
}

TEST_F(SuspendedJobTest, WaitsForNoNodeThatIsGone) {
  suspend();
  hear(0, protocol::Suspend{true});
  lose(1, "cut");
  EXPECT_TRUE(job_.suspended());
}

TEST_F(SuspendedJobTest, WaitsForNoNodeThatIsDone) {
  greet_all();
  exit(1);
  hear(1, protocol::Done{});
  job_.on_suspend(now_);
  EXPECT_FALSE(job_.suspended());
  hear(0, protocol::Suspend{true});
  EXPECT_TRUE(job_.suspended());
}

TEST_F(SuspendedJobTest, TellsNobodyBeforeItRuns) {
  greet(0);
  job_.on_suspend(now_);
  EXPECT_TRUE(job_.suspended());
  job_.on_continue(now_ + 1min);
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 0U);
  EXPECT_TRUE(notices_.empty());
}

}  // namespace
}  // namespace adarun::launcher
