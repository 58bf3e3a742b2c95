// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_control.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

class ShutdownTest : public testing::Test, public JobObserver {
 protected:
  ShutdownTest() : plan_(plan_of("n[0-1]:1")), nodes_(2), shutdown_(plan_, nodes_, *this, 5s) {}

  void on_notice(const std::string& text) override { notices_.push_back(text); }

  Plan plan_;
  Nodes nodes_;
  std::vector<std::string> notices_;
  Shutdown::Clock::time_point now_{};
  Shutdown shutdown_;
};

TEST_F(ShutdownTest, TellsEveryNodeAndWaitsForLongerThanTheGrace) {
  EXPECT_FALSE(shutdown_.deadline());
  shutdown_.stop(Shutdown::Pace::with_grace, now_);
  const std::vector<Outgoing> sent = nodes_.take_outgoing();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].nodes.size(), 2U);
  EXPECT_EQ(std::get<protocol::Stop>(sent[0].message), protocol::Stop{false});
  EXPECT_FALSE(shutdown_.is_due(now_ + 5s));
  EXPECT_TRUE(shutdown_.is_due(*shutdown_.deadline()));
}

TEST_F(ShutdownTest, IsNeverPutOffByAFurtherStop) {
  shutdown_.stop(Shutdown::Pace::with_grace, now_);
  const auto first = *shutdown_.deadline();
  shutdown_.stop(Shutdown::Pace::at_once, now_);
  const auto sooner = *shutdown_.deadline();
  EXPECT_LT(sooner, first);
  shutdown_.stop(Shutdown::Pace::with_grace, now_ + 1s);
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

}  // namespace
}  // namespace adarun::launcher
