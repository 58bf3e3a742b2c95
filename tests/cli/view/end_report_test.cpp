// SPDX-License-Identifier: Apache-2.0
#include "cli/view/end_report.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

using launcher::JobReport;
using launcher::RankState;
using launcher::protocol::Stream;
using Lines = std::vector<std::string>;
using Kind = launcher::Failure::Kind;

// A job of two ranks on node1 with its log folder.
class EndReport : public testing::Test {
 protected:
  // The report after a failure of rank 1, which has printed this, and the end of rank 0.
  Lines lines_after(const std::string& printed) {
    logs_.on_output(1, Stream::out, printed);
    JobReport report;
    report.ranks.resize(2);
    report.ranks[0].state = RankState::stopped;
    report.ranks[1].state = RankState::failed;
    report.failures = {launcher::rank_failure(plan_, 1, Kind::rank_failed, ": exit code 7")};
    report.duration = std::chrono::milliseconds(2300);
    return end_report(plan_, report, logs_, "log_output");
  }

  const test::ScratchFolder scratch_;
  const launcher::Plan plan_ = launcher::plan_of("node1:2");
  launcher::LogFolder logs_{scratch_.path() / "logs", "", plan_};
};

TEST_F(EndReport, SaysNothingOfAJobThatEndedWell) {
  EXPECT_EQ(end_report(plan_, JobReport(), logs_, "log_output"), Lines());
}

TEST_F(EndReport, NamesTheFailureItsLastLinesTheOthersAndTheLogs) {
  EXPECT_EQ(lines_after("loss 2.3\nTraceback\x1b[1m:\n"),
            (Lines{"rank 1 on node1 (device 1): exit code 7", "the last 2 lines of rank 1:", "    loss 2.3",
                   "    Traceback:", "rank 0 on node1: stopped by adarun",
                   "the job of 2 ranks on 1 node ended after 2.3 s; logs in log_output/"}));
}

TEST_F(EndReport, CountsTheLastLines) {
  EXPECT_EQ(lines_after("only\n")[1], "the last line of rank 1:");
}

TEST_F(EndReport, SaysWhereARankPrintedNothing) {
  EXPECT_EQ(lines_after("")[1], "rank 1 printed nothing");
}

TEST_F(EndReport, ShowsNoMoreThanTheLastTwentyLines) {
  std::string printed;
  for (int i = 1; i <= 30; ++i) printed += "line " + std::to_string(i) + "\n";
  const Lines lines = lines_after(printed);
  EXPECT_EQ(lines[1], "the last 20 lines of rank 1:");
  EXPECT_EQ(lines[2], "    line 11");
  EXPECT_EQ(lines[21], "    line 30");
}

TEST_F(EndReport, NamesTheRanksWithoutWhichTheJobWentOn) {
  const launcher::Plan plan = launcher::plan_of("node[1-2]:2");
  const test::ScratchFolder scratch;
  launcher::LogFolder logs(scratch.path() / "logs", "", plan);
  JobReport report;
  report.ranks.resize(4);
  for (const std::size_t rank : {0U, 2U, 3U}) report.ranks[rank].state = RankState::failed;
  report.ranks[0].signal = report.ranks[2].signal = 9;
  report.ranks[1].state = RankState::stopped;
  report.left = {0, 2};
  report.failures = {
      launcher::rank_failure(plan, 3, Kind::rank_failed, ": exit code 7; fewer than --min-ranks 2 are left")};
  EXPECT_EQ(end_report(plan, report, logs, "out"),
            (Lines{"rank 3 on node2 (device 1): exit code 7; fewer than --min-ranks 2 are left",
                   "rank 3 printed nothing",
                   "ranks 0,2 on node[1-2] ended before, and the others went on: SIGKILL (Killed), not by "
                   "adarun; perhaps out of memory",
                   "rank 1 on node1: stopped by adarun",
                   "the job of 4 ranks on 2 nodes ended after 0 ms; logs in out/"}));
}

TEST_F(EndReport, SaysWhereNoRankHasStarted) {
  JobReport report;
  report.ranks.resize(2);
  report.failures = {launcher::node_failure(plan_, 0, Kind::could_not_start, "no route")};
  EXPECT_EQ(end_report(plan_, report, logs_, "out"),
            (Lines{"node1: no route",
                   "the job of 2 ranks on 1 node ended after 0 ms, before any rank started; logs in out/"}));
}

}  // namespace
}  // namespace adarun::cli
