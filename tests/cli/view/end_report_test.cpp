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
                   "ranks 0,2 on node[1-2] ended before, and the others continued: SIGKILL (Killed), not by "
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

using launcher::Failure;
using Kind = Failure::Kind;
using Lines = std::vector<std::string>;

TEST(FailureLines, HaveOneForEachFailureInItsOrder) {
  const launcher::Plan plan = launcher::plan_of("node[1-2]:2");
  EXPECT_EQ(failure_lines(plan, {launcher::rank_failure(plan, 3, Kind::rank_failed, ": exit code 7"),
                                 launcher::node_failure(plan, 0, Kind::node_lost, "the connection was cut")}),
            (Lines{"rank 3 on node2 (device 1): exit code 7", "node1: the connection was cut"}));
  EXPECT_EQ(failure_lines(plan, {}), Lines());
}

TEST(FailureLines, PutNodesThatFailedAlikeTogetherWhereTheFirstStood) {
  const launcher::Plan plan = launcher::plan_of("node[1-4]:1");
  const auto unreachable = [&plan](std::uint32_t node, const char* why) {
    return launcher::node_failure(plan, node, Kind::could_not_start, why);
  };
  EXPECT_EQ(failure_lines(plan, {unreachable(3, "no route"), unreachable(1, "refused"),
                                 unreachable(0, "no route"), unreachable(2, "no route")}),
            (Lines{"node[1,3-4]: no route", "node2: refused"}));
}

TEST(FailureLines, KeepRanksThatFailedAlikeApart) {
  const launcher::Plan plan = launcher::plan_of("node1:2");
  const auto failed = [&plan](std::uint32_t rank) {
    return launcher::rank_failure(plan, rank, Kind::rank_failed, ": exit code 7");
  };
  EXPECT_EQ(failure_lines(plan, {failed(0), failed(1)}).size(), 2U);
}

TEST(FailureLines, KeepWordsThatDoNotBeginWithTheNodesName) {
  const launcher::Plan plan = launcher::plan_of("node[1-2]:1");
  const Failure failure{Kind::broken, {}, 0, 0, 0, "the disk is full"};
  EXPECT_EQ(failure_lines(plan, {failure, failure}), (Lines{"the disk is full", "the disk is full"}));
}

using launcher::JobReport;
using launcher::RankRecord;
using launcher::RankState;
using Lines = std::vector<std::string>;

constexpr std::int64_t ms = 1'000'000;

// A rank that failed by itself, this many milliseconds after the job began.
RankRecord failed(int code, std::optional<std::int64_t> ended_ms = {}) {
  RankRecord record;
  record.state = RankState::failed;
  record.code = code;
  if (ended_ms) record.ended = launcher::Moment{*ended_ms * ms, 0};
  return record;
}

// A report of these ranks, the first of which is the job's failure.
JobReport report_of_ranks(const launcher::Plan& plan, std::vector<RankRecord> ranks) {
  JobReport report;
  report.failures = {launcher::rank_failure(plan, 0, launcher::Failure::Kind::rank_failed, ": exit code 7")};
  report.ranks = std::move(ranks);
  return report;
}

RankRecord in_state(RankState state) {
  RankRecord record;
  record.state = state;
  return record;
}

TEST(RankOutcomes, PutRanksInOneStateOnOneLine) {
  const launcher::Plan plan = launcher::plan_of("node[1-2]:4");
  std::vector<RankRecord> ranks(8, in_state(RankState::stopped));
  ranks[0] = failed(7);
  ranks[3] = in_state(RankState::done);
  ranks[6] = in_state(RankState::lost);
  ranks[7] = in_state(RankState::lost);
  EXPECT_EQ(rank_outcomes(plan, report_of_ranks(plan, ranks)),
            (Lines{"rank 3 on node1: had ended well", "ranks 1-2,4-5 on node[1-2]: stopped by adarun",
                   "ranks 6-7 on node2: lost with the node"}));
}

TEST(RankOutcomes, SayWhatNeverStartedOrWasNotHeardOfAgain) {
  const launcher::Plan plan = launcher::plan_of("node1:3");
  EXPECT_EQ(rank_outcomes(plan, report_of_ranks(plan, {failed(7), in_state(RankState::waiting),
                                                       in_state(RankState::running)})),
            (Lines{"rank 2 on node1: not heard of again", "rank 1 on node1: never started"}));
}

TEST(RankOutcomes, SayHowMuchLaterOthersFollowed) {
  const launcher::Plan plan = launcher::plan_of("node1:5");
  JobReport report = report_of_ranks(
      plan, {failed(7, 100), failed(1, 300), failed(1, 1600), failed(2, 350), failed(7, 101)});
  report.beside = {4};
  report.followers = {1, 3, 2};
  EXPECT_EQ(rank_outcomes(plan, report),
            (Lines{"rank 4 on node1 failed about the same time: exit code 7",
                   "ranks 1-2 on node1 followed 200 ms to 1.5 s later: exit code 1",
                   "rank 3 on node1 followed 250 ms later: exit code 2"}));
}

TEST(RankOutcomes, SayNoTimeWhereTheClocksDoNotTell) {
  const launcher::Plan plan = launcher::plan_of("node1:2");
  JobReport report = report_of_ranks(plan, {failed(7), failed(1, 300)});
  report.followers = {1};
  EXPECT_EQ(rank_outcomes(plan, report), (Lines{"rank 1 on node1 followed: exit code 1"}));
}

TEST(RankOutcomes, SayNoTimeOfOthersThatWereSeenToEndBefore) {
  const launcher::Plan plan = launcher::plan_of("node1:2");
  JobReport report = report_of_ranks(plan, {failed(7, 100), failed(1, 90)});
  report.followers = {1};
  EXPECT_EQ(rank_outcomes(plan, report), (Lines{"rank 1 on node1 followed: exit code 1"}));
}

TEST(RankOutcomes, KeepRolesApartAndNameThem) {
  launcher::JobOptions options;
  options.roles = {{"prefill", {0, 1, 4}, {"true"}}, {"decode", {2, 3, 5}, {"true"}}};
  const launcher::Plan plan = launcher::plan_of("node[1-2]:3", options);
  std::vector<RankRecord> ranks(6, in_state(RankState::stopped));
  ranks[0] = failed(7, 100);
  ranks[4] = failed(1, 300);
  ranks[5] = failed(1, 300);
  JobReport report = report_of_ranks(plan, ranks);
  report.followers = {4, 5};
  EXPECT_EQ(report.failures.front().message, "rank 0 on node1 (device 0, role prefill): exit code 7");
  EXPECT_EQ(rank_outcomes(plan, report),
            (Lines{"rank 4 on node2 (role prefill) followed 200 ms later: exit code 1",
                   "rank 5 on node2 (role decode) followed 200 ms later: exit code 1",
                   "rank 1 on node1 (role prefill): stopped by adarun",
                   "ranks 2-3 on node[1-2] (role decode): stopped by adarun"}));
}

TEST(RankOutcomes, CountRanksWithCoresOfTheirOwnAsAlike) {
  const launcher::Plan plan = launcher::plan_of("node1:3");
  std::vector<RankRecord> ranks(3, failed(0));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].signal = 11;
    ranks[rank].core_dumped = true;
    ranks[rank].core = "/tmp/core." + std::to_string(rank);
  }
  JobReport report = report_of_ranks(plan, ranks);
  report.followers = {1, 2};
  EXPECT_EQ(rank_outcomes(plan, report),
            (Lines{"ranks 1-2 on node1 followed: SIGSEGV (Segmentation fault), core dumped"}));
}

TEST(RankOutcomes, LeaveManyWaysOfFailingToTheJobFile) {
  const launcher::Plan plan = launcher::plan_of("node1:12");
  std::vector<RankRecord> ranks;
  for (int code = 1; code <= 12; ++code) ranks.push_back(failed(code));
  JobReport report = report_of_ranks(plan, ranks);
  for (std::uint32_t rank = 1; rank < 12; ++rank) report.followers.push_back(rank);
  const Lines lines = rank_outcomes(plan, report);
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[7], "rank 8 on node1 followed: exit code 9");
  EXPECT_EQ(lines[8], "... and 3 more ways of failing after it: see job.json");
}

}  // namespace

}  // namespace adarun::cli
