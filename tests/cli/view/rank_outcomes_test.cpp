// SPDX-License-Identifier: Apache-2.0
#include "cli/view/end_report.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

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
