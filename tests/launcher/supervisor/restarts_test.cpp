// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/attempts.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using Kind = Failure::Kind;

JobReport ended_by(std::vector<Kind> kinds, int code = 7) {
  JobReport report;
  for (const Kind kind : kinds) report.failures.push_back({kind, 0, 0, code, 0, "it failed"});
  return report;
}

TEST(Restarts, AreForFailuresThatAnotherRunMayNotHave) {
  for (const Kind kind :
       {Kind::rank_failed, Kind::aborted, Kind::node_lost, Kind::hung, Kind::could_not_start, Kind::resized})
    EXPECT_TRUE(may_run_again(ended_by({kind}), {})) << name_of(kind);
  for (const Kind kind : {Kind::not_executable, Kind::not_found, Kind::timed_out, Kind::interrupted,
                          Kind::broken, Kind::spawned})
    EXPECT_FALSE(may_run_again(ended_by({kind}), {})) << name_of(kind);
  EXPECT_FALSE(may_run_again(JobReport(), {})) << "a job that ended well";
  EXPECT_FALSE(may_run_again(ended_by({Kind::rank_failed, Kind::interrupted}), {})) << "as the user asked";
  JobReport refused = ended_by({Kind::could_not_start});
  refused.is_refused = true;
  EXPECT_FALSE(may_run_again(refused, {})) << "by every node";
}

TEST(Restarts, LeaveOutStatusesThatTheUserNames) {
  Restarts restarts;
  restarts.never_on = {2, 64};
  EXPECT_FALSE(may_run_again(ended_by({Kind::rank_failed}, 64), restarts));
  EXPECT_TRUE(may_run_again(ended_by({Kind::rank_failed}, 65), restarts));
}

}  // namespace
}  // namespace adarun::launcher
