// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "launcher/job/job.h"
#include "launcher/job/job_control.h"
#include "tests/launcher/job/elastic_job.h"
#include "tests/launcher/job/sent_messages.h"
#include "tests/launcher/plan/sample_plan.h"
#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

// Two nodes of a rank each, and a timeout of an hour.
class SuspendedJobTest : public testing::Test, public JobObserver {
 protected:
  SuspendedJobTest() : plan_(plan_of("n[0-1]:1", {.timeout = 1h})), job_(plan_, *this, now_) {}

  void hear(std::uint32_t node, protocol::Message message) {
    job_.on_event({node, std::move(message)}, now_);
  }
  void greet(std::uint32_t node) { hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0}); }
  void suspend() {
    greet(0);
    greet(1);
    job_.take_outgoing();
    job_.on_suspend(now_);
  }
  template <typename T>
  std::size_t sent() {
    std::size_t count = 0;
    for (const Outgoing& out : job_.take_outgoing())
      count += std::holds_alternative<T>(out.message) ? out.nodes.size() : 0;
    return count;
  }
  void on_notice(const std::string& text) override { notices_.push_back(text); }

  Plan plan_;
  Job::Clock::time_point now_{};
  std::vector<std::string> notices_;
  Job job_;
};

TEST_F(SuspendedJobTest, StandsStillWhenAllNodesSaySo) {
  suspend();
  EXPECT_EQ(sent<protocol::Suspend>(), 2U);
  hear(0, protocol::Suspend{true});
  hear(1, protocol::Suspend{false});  // A late reply to an earlier Suspend.
  EXPECT_FALSE(job_.suspended());
  job_.say_suspended();
  ASSERT_EQ(notices_.size(), 2U);
  EXPECT_EQ(notices_[0], "n1: has not said that its ranks stand still");
  hear(1, protocol::Suspend{true});
  EXPECT_TRUE(job_.suspended());
}

TEST_F(SuspendedJobTest, GoesOnIfItIsStoppedSoThatAgentsHaveTheirLeaseAgain) {
  suspend();
  EXPECT_EQ(sent<protocol::Suspend>(), 2U);
  job_.on_interrupt(SIGINT, now_);
  std::vector<protocol::Suspend> orders;
  for (const Outgoing& out : job_.take_outgoing())
    if (const auto* order = std::get_if<protocol::Suspend>(&out.message)) orders.push_back(*order);
  EXPECT_EQ(orders, std::vector<protocol::Suspend>{{false}});
}

TEST_F(SuspendedJobTest, HasTheTimeThatItWouldHaveHad) {
  suspend();
  now_ += 10h;
  job_.on_continue(now_);
  EXPECT_EQ(sent<protocol::Suspend>(), 4U);
  job_.on_time(now_ + 59min);
  EXPECT_EQ(sent<protocol::Stop>(), 0U);
  job_.on_time(now_ + 1h);
  EXPECT_EQ(sent<protocol::Stop>(), 2U);
}

TEST_F(SuspendedJobTest, WaitsForNoNodeThatIsGone) {
  suspend();
  hear(0, protocol::Suspend{true});
  job_.on_event({1, LinkLost{"cut"}}, now_);
  EXPECT_TRUE(job_.suspended());
}

TEST_F(SuspendedJobTest, TellsNobodyBeforeItRuns) {
  greet(0);
  job_.on_suspend(now_);
  EXPECT_TRUE(job_.suspended());
  job_.on_continue(now_ + 1min);
  EXPECT_EQ(sent<protocol::Suspend>(), 0U);
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
