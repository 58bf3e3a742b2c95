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

TEST(Restarts, AreForFailuresThatAnotherRunMayNotHave) {
  for (const Kind kind :
       {Kind::rank_failed, Kind::aborted, Kind::node_lost, Kind::hung, Kind::could_not_start})
    EXPECT_TRUE(may_run_again(ended_by({kind}), {})) << name_of(kind);
  for (const Kind kind :
       {Kind::not_executable, Kind::not_found, Kind::timed_out, Kind::interrupted, Kind::broken})
    EXPECT_FALSE(may_run_again(ended_by({kind}), {})) << name_of(kind);
  EXPECT_FALSE(may_run_again(JobReport(), {})) << "a job that ended well";
}

TEST(Restarts, LeaveOutStatusesThatTheUserNames) {
  launcher::Restarts restarts;
  restarts.never_on = {2, 64};
  EXPECT_FALSE(may_run_again(ended_by({Kind::rank_failed}, 64), restarts));
  EXPECT_TRUE(may_run_again(ended_by({Kind::rank_failed}, 65), restarts));
}

TEST(Restarts, EndWhereTheUserAskedForTheEndOfAFailedJob) {
  EXPECT_FALSE(may_run_again(ended_by({Kind::rank_failed, Kind::interrupted}), {}));
}

TEST(Restarts, EndWhereEveryNodeRefusesWhatIsAsked) {
  JobReport report = ended_by({Kind::could_not_start});
  report.is_refused = true;
  EXPECT_FALSE(may_run_again(report, {}));
}

TEST(RestartDelay, DoublesUpToAMinute) {
  launcher::Restarts restarts;
  EXPECT_EQ(delay_before(1, restarts), 0s);
  EXPECT_EQ(delay_before(2, restarts), 1s);
  EXPECT_EQ(delay_before(3, restarts), 2s);
  EXPECT_EQ(delay_before(7, restarts), 32s);
  EXPECT_EQ(delay_before(8, restarts), 1min);
  restarts.delay = 10ms;
  EXPECT_EQ(delay_before(1, restarts), 10ms);
  EXPECT_EQ(delay_before(2, restarts), 20ms);
  EXPECT_EQ(delay_before(1000, restarts), 1min);
  restarts.delay = 2h;
  EXPECT_EQ(delay_before(1, restarts), 1min);
}

}  // namespace
}  // namespace adarun::cli
