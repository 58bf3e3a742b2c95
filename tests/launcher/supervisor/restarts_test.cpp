// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/attempts.h"

#include <gtest/gtest.h>

#include <chrono>

#include "launcher/job/rank_restarts.h"

namespace adarun::launcher {
namespace {

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
  Restarts restarts;
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
  std::chrono::milliseconds first{0};
  EXPECT_EQ(restart_delay(1, first), 0s);
  EXPECT_EQ(restart_delay(2, first), 1s);
  EXPECT_EQ(restart_delay(3, first), 2s);
  EXPECT_EQ(restart_delay(7, first), 32s);
  EXPECT_EQ(restart_delay(8, first), 1min);
  first = 10ms;
  EXPECT_EQ(restart_delay(1, first), 10ms);
  EXPECT_EQ(restart_delay(2, first), 20ms);
  EXPECT_EQ(restart_delay(1000, first), 1min);
  first = 2h;
  EXPECT_EQ(restart_delay(1, first), 1min);
}

}  // namespace
}  // namespace adarun::launcher
