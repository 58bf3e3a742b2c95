// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_control.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

class SuspensionTest : public testing::Test, public JobObserver {
 protected:
  SuspensionTest() : plan_(plan_of("n[0-1]:1")), nodes_(2), suspension_(plan_, nodes_, *this) {
    nodes_.set(0, NodeState::greeted);
    nodes_.set(1, NodeState::done);
  }

  void on_notice(const std::string& text) override { notices_.push_back(text); }

  Plan plan_;
  Nodes nodes_;
  std::vector<std::string> notices_;
  Suspension::Clock::time_point now_{};
  Suspension suspension_;
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
  EXPECT_EQ(notices_[0], "n0: has not said that its ranks stand still");
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

}  // namespace
}  // namespace adarun::launcher
