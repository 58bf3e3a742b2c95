// SPDX-License-Identifier: Apache-2.0
#include "cli/options/restarts.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

using launcher::Failure;
using launcher::JobReport;
using namespace std::chrono_literals;
using Kind = Failure::Kind;

JobReport ended_by(std::vector<Kind> kinds, int code = 7) {
  JobReport report;
  for (const Kind kind : kinds) report.failures.push_back({kind, 0, 0, code, 0, "it failed"});
  return report;
}

constexpr int once = 1;

Restarts at_most(int most) {
  Restarts restarts;
  restarts.most = most;
  return restarts;
}

TEST(Restarts, AreForFailuresThatAnotherRunMayNotHave) {
  for (const Kind kind : {Kind::rank_failed, Kind::aborted, Kind::node_lost, Kind::hung})
    EXPECT_TRUE(is_run_again(ended_by({kind}), once, at_most(1))) << name_of(kind);
  for (const Kind kind :
       {Kind::not_executable, Kind::not_found, Kind::timed_out, Kind::interrupted, Kind::broken})
    EXPECT_FALSE(is_run_again(ended_by({kind}), once, at_most(1))) << name_of(kind);
  EXPECT_FALSE(is_run_again(JobReport(), once, at_most(1))) << "a job that ended well";
}

TEST(Restarts, AreForNodesOutOfReachOnlyWhereAnEarlierRunHadThem) {
  EXPECT_FALSE(is_run_again(ended_by({Kind::could_not_start}), 1, at_most(5)));
  EXPECT_TRUE(is_run_again(ended_by({Kind::could_not_start}), 2, at_most(5)));
}

TEST(Restarts, AreCounted) {
  const JobReport failed = ended_by({Kind::rank_failed});
  EXPECT_FALSE(is_run_again(failed, 1, at_most(0)));
  EXPECT_TRUE(is_run_again(failed, 3, at_most(3)));
  EXPECT_FALSE(is_run_again(failed, 4, at_most(3)));
}

TEST(Restarts, LeaveOutStatusesThatTheUserNames) {
  Restarts restarts = at_most(3);
  restarts.never_on = {2, 64};
  EXPECT_FALSE(is_run_again(ended_by({Kind::rank_failed}, 64), once, restarts));
  EXPECT_TRUE(is_run_again(ended_by({Kind::rank_failed}, 65), once, restarts));
}

TEST(Restarts, EndWhereTheUserAskedForTheEndOfAFailedJob) {
  EXPECT_FALSE(is_run_again(ended_by({Kind::rank_failed, Kind::interrupted}), once, at_most(3)));
}

TEST(RestartDelay, DoublesUpToAMinute) {
  Restarts restarts;
  EXPECT_EQ(delay_after(1, restarts), 1s);
  EXPECT_EQ(delay_after(2, restarts), 2s);
  EXPECT_EQ(delay_after(6, restarts), 32s);
  EXPECT_EQ(delay_after(7, restarts), 1min);
  EXPECT_EQ(delay_after(1000, restarts), 1min);
  restarts.delay = 2h;
  EXPECT_EQ(delay_after(1, restarts), 1min);
}

}  // namespace
}  // namespace adarun::cli
