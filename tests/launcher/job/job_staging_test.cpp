// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/job/job.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

// Every node must get a folder first.
class StagingJobTest : public testing::Test {
 protected:
  static AttemptOptions attempt() {
    AttemptOptions attempt;
    attempt.stage = {{"data", {"data", protocol::StageKind::folder, 0755, 0, ""}}};
    return attempt;
  }

  StagingJobTest() {
    for (std::uint32_t node = 0; node < 3; ++node) hear(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0});
  }

  void hear(std::uint32_t node, protocol::Message message) {
    job_.on_event({node, std::move(message)}, now_);
  }
  void fail(std::uint32_t node) {
    hear(node, protocol::Failed{protocol::StartFailure::could_not_start,
                                "cannot stage \"data\": Read-only file system"});
  }

  Job::Clock::time_point now_{};
  JobObserver observer_;
  Plan plan_ = plan_of("n[0-2]", {}, attempt());
  Job job_{plan_, observer_, now_};
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
