// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_control.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "tests/launcher/job/elastic_job.h"
#include "tests/launcher/job/job_harness.h"
#include "tests/launcher/plan/sample_plan.h"
#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

/// What two nodes are told by a collaborator of a job, and the user.
class NodesTest : public testing::Test, public JobObserver {
 protected:
  void on_notice(const std::string& text) override { notices_.push_back(text); }

  Plan plan_ = plan_of("n[0-1]:1");
  Nodes nodes_{2};
  std::vector<std::string> notices_;
  std::chrono::steady_clock::time_point now_{};
};

class ShutdownTest : public NodesTest {
 protected:
  Shutdown shutdown_{plan_, nodes_, *this, 5s};
};

TEST_F(ShutdownTest, TellsEveryNodeAndWaitsForLongerThanTheGrace) {
  EXPECT_FALSE(shutdown_.deadline());
  shutdown_.stop(Shutdown::StopMode::with_grace, now_);
  const std::vector<Outgoing> sent = nodes_.take_outgoing();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].nodes.size(), 2U);
  EXPECT_EQ(std::get<protocol::Stop>(sent[0].message), protocol::Stop{false});
  EXPECT_FALSE(shutdown_.is_due(now_ + 5s));
  EXPECT_TRUE(shutdown_.is_due(*shutdown_.deadline()));
}

TEST_F(ShutdownTest, IsNeverPutOffByAFurtherStop) {
  shutdown_.stop(Shutdown::StopMode::with_grace, now_);
  const auto first = *shutdown_.deadline();
  shutdown_.stop(Shutdown::StopMode::at_once, now_);
  const auto sooner = *shutdown_.deadline();
  EXPECT_LT(sooner, first);
  shutdown_.stop(Shutdown::StopMode::with_grace, now_ + 1s);
  EXPECT_EQ(*shutdown_.deadline(), sooner);
}

TEST_F(ShutdownTest, CountsNoTimeForWhichTheJobStoodStill) {
  shutdown_.put_off(1h);
  EXPECT_FALSE(shutdown_.deadline());
  shutdown_.wait_for_others(now_);
  const auto before = *shutdown_.deadline();
  shutdown_.put_off(1h);
  EXPECT_EQ(*shutdown_.deadline(), before + 1h);
}

TEST_F(ShutdownTest, NamesTheNodesThatAreThereAndSilent) {
  nodes_.set(0, NodeState::greeted);
  nodes_.set(1, NodeState::done);
  shutdown_.name_silent_nodes();
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0].substr(0, 3), "n0:");
}

class SuspensionTest : public NodesTest {
 protected:
  SuspensionTest() {
    nodes_.set(0, NodeState::greeted);
    nodes_.set(1, NodeState::done);
  }

  Suspension suspension_{plan_, nodes_, *this};
};

TEST_F(SuspensionTest, WaitsForNodesThatAreThere) {
  EXPECT_TRUE(suspension_.complete());
  suspension_.begin(now_);
  EXPECT_FALSE(suspension_.complete());
  suspension_.settle(0);
  EXPECT_TRUE(suspension_.complete());
}

TEST_F(SuspensionTest, NamesThoseThatHaveNotSaidIt) {
  suspension_.announce();
  EXPECT_TRUE(notices_.empty());
  suspension_.begin(now_);
  suspension_.announce();
  ASSERT_EQ(notices_.size(), 2U);
  EXPECT_EQ(notices_[0], "n0: has not confirmed that its ranks are suspended");
}

TEST_F(SuspensionTest, TellsHowLongItLasted) {
  EXPECT_FALSE(suspension_.end(now_));
  EXPECT_TRUE(nodes_.take_outgoing().empty());
  suspension_.begin(now_);
  EXPECT_EQ(suspension_.end(now_ + 1h), Suspension::Clock::duration(1h));
  EXPECT_TRUE(suspension_.complete());
  EXPECT_FALSE(suspension_.end(now_ + 2h)) << "it is over";
  EXPECT_EQ(nodes_.take_outgoing().size(), 2U);
}

// Two nodes of a rank each, and a timeout of an hour.
class SuspendedJobTest : public JobTest {
 protected:
  SuspendedJobTest() : JobTest({.timeout = 1h}, "n[0-1]:1") {}

  void suspend() {
    greet(0);
    greet(1);
    job_.take_outgoing();
    job_.on_suspend(now_);
  }
};

TEST_F(SuspendedJobTest, StandsStillWhenAllNodesSaySo) {
  suspend();
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 2U);
  hear(0, protocol::Suspend{true});
  hear(1, protocol::Suspend{false});  // A late reply to an earlier Suspend.
  EXPECT_FALSE(job_.suspended());
  job_.say_suspended();
  ASSERT_EQ(notices_.size(), 2U);
  EXPECT_EQ(notices_[0], "n1: has not confirmed that its ranks are suspended");
  hear(1, protocol::Suspend{true});
  EXPECT_TRUE(job_.suspended());
}

TEST_F(SuspendedJobTest, ContinuesIfItIsStoppedSoThatAgentsHaveTheirLeaseAgain) {
  suspend();
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 2U);
  job_.on_interrupt(SIGINT, now_);
  EXPECT_EQ(sent<protocol::Suspend>(), std::vector<protocol::Suspend>{{false}});
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

TEST_F(SuspendedJobTest, TellsNobodyBeforeItRuns) {
  greet(0);
  job_.on_suspend(now_);
  EXPECT_TRUE(job_.suspended());
  job_.on_continue(now_ + 1min);
  EXPECT_EQ(nodes_told<protocol::Suspend>(), 0U);
  EXPECT_TRUE(notices_.empty());
}

/// The same, told by Ctrl-Z; instead of stopping this process, the signal is counted.
class JobControlTest : public SuspendedJobTest {
 protected:
  JobControlTest() {
    stops_ = 0;
    std::signal(SIGTSTP, [](int) { stops_ = stops_ + 1; });
    control_.emplace(job_, transport_);
  }
  ~JobControlTest() override {
    control_.reset();
    std::signal(SIGTSTP, SIG_DFL);
  }

  static inline volatile std::sig_atomic_t stops_ = 0;
  FakeTransport transport_{0, {}};
  std::optional<JobControl> control_;
};

TEST_F(JobControlTest, StopsAtOnceWhereNoRankRuns) {
  greet(0);
  raise(SIGTSTP);
  for (int turn = 0; turn < 3; ++turn) control_->advance(now_);
  EXPECT_EQ(stops_, 1);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(JobControlTest, WaitsForRanksThatBeginToRunBeforeItStops) {
  for (int turns = 1; turns <= 2; ++turns) {
    SCOPED_TRACE(turns);
    stops_ = 0;
    Job job(plan_, *this, now_);
    control_.reset();
    control_.emplace(job, transport_);
    job.on_event({0, protocol::Message(protocol::Hello{ADARUN_VERSION, "h", 1, 0})}, now_);
    raise(SIGTSTP);
    for (int turn = 0; turn < turns; ++turn) control_->advance(now_);
    job.on_event({1, protocol::Message(protocol::Hello{ADARUN_VERSION, "h", 1, 0})}, now_);
    for (int turn = 0; turn < 2; ++turn) control_->advance(now_);
    EXPECT_EQ(stops_, 0);
    EXPECT_EQ(sent_by<protocol::Suspend>(job).size(), 1U) << "to all nodes, once";
    for (const std::uint32_t node : {0U, 1U})
      job.on_event({node, protocol::Message(protocol::Suspend{true})}, now_);
    for (int turn = 0; turn < 2; ++turn) control_->advance(now_);
    EXPECT_EQ(stops_, 1);
    EXPECT_EQ(sent_by<protocol::Suspend>(job), (std::vector<protocol::Suspend>{{false}}));
    control_.reset();
  }
}

/// Two nodes of two ranks each, which are started again where they end.
class SuspendedRestartTest : public ElasticJobTest {
 protected:
  SuspendedRestartTest() : ElasticJobTest(1, 9) {}
};

TEST_F(SuspendedRestartTest, StartsNoRankBeforeItGoesOn) {
  start({0, 1, 2, 3});
  for (int i = 0; i < 2; ++i) exit(2, 7);
  EXPECT_EQ(notices_.back(),
            "rank 2 on n1 (device 0): exit code 7; it is started again in 1 s (restarts left: 7)");
  ASSERT_EQ(job_.deadline(), now_ + 1s);
  job_.on_suspend(now_);
  job_.take_outgoing();
  exit(3, 7);  // Started again at once, otherwise.
  now_ += 1s;
  job_.on_time(now_);
  EXPECT_TRUE(sent<protocol::StartAgain>().empty());
  EXPECT_GT(job_.deadline(), now_ + 1s);
  job_.on_continue(now_);
  EXPECT_EQ(sent<protocol::StartAgain>(), (std::vector<protocol::StartAgain>{{3, 1}, {2, 2}}));
}

}  // namespace
}  // namespace adarun::launcher
