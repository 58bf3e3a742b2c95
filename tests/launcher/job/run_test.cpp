// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/run.h"

#include <csignal>
#include <optional>

#include "tests/launcher/job/job_harness.h"
#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

/// Two nodes of a rank each, and Ctrl-Z; instead of stopping this process, the signal is counted.
class JobControlTest : public JobTest {
 protected:
  JobControlTest() : JobTest({.timeout = 1h}, "n[0-1]:1") {
    stops_ = 0;
    std::signal(SIGTSTP, [](int) { stops_ = stops_ + 1; });
    control_.emplace(job_, transport_);
  }
  ~JobControlTest() override {
    control_.reset();
    std::signal(SIGTSTP, SIG_DFL);
  }

  void advance(int turns) {
    for (int turn = 0; turn < turns; ++turn) control_->advance(now_);
  }

  static inline volatile std::sig_atomic_t stops_ = 0;
  FakeTransport transport_{0, {}};
  std::optional<JobControl> control_;
};

TEST_F(JobControlTest, StopsAtOnceWhereNoRankRuns) {
  greet(0);
  raise(SIGTSTP);
  advance(3);
  EXPECT_EQ(stops_, 1);
  EXPECT_TRUE(notices_.empty());
}

/// With the number of turns before ranks begin to run.
class JobControlOfStartingRanksTest : public JobControlTest, public testing::WithParamInterface<int> {};

TEST_P(JobControlOfStartingRanksTest, WaitsForThemBeforeItStops) {
  greet(0);
  raise(SIGTSTP);
  advance(GetParam());
  greet(1);
  advance(2);
  EXPECT_EQ(stops_, 0);
  EXPECT_EQ(sent<protocol::Suspend>().size(), 1U) << "to all nodes, once";
  hear_from_all(protocol::Suspend{true});
  advance(2);
  EXPECT_EQ(stops_, 1);
  EXPECT_EQ(sent<protocol::Suspend>(), (std::vector<protocol::Suspend>{{false}}));
}

INSTANTIATE_TEST_SUITE_P(Turns, JobControlOfStartingRanksTest, testing::Values(1, 2));

}  // namespace
}  // namespace adarun::launcher
