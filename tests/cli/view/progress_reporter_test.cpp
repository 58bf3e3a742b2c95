// SPDX-License-Identifier: Apache-2.0
#include "cli/view/progress_reporter.h"

#include <gtest/gtest.h>

#include <csignal>

#include "launcher/transport/local/local_reach.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

using launcher::ExaminedRank;
using launcher::RankRecord;
using Lines = std::vector<std::string>;

class SilentView : public JobView {
 public:
  using JobView::JobView;
  void begin(const launcher::Plan&) override {}
  void end() override {}
  void say(const std::string&) override {}
};

class ProgressReporterTest : public testing::Test {
 protected:
  ProgressReporterTest() {
    options_.log = &log_;
    log_.divert([this](const std::string& line) { told_.push_back(line); });
    log_.show(base::Level::info);
  }
  ~ProgressReporterTest() override { log_.divert(nullptr); }

  // The messages since the last call.
  Lines told() { return std::exchange(told_, {}); }

  launcher::Plan plan_ = launcher::plan_of("node[1-2]:2");
  LaunchOptions options_;
  base::Log log_{"adarun"};
  BackgroundOutput output_;
  SilentView view_{output_};
  ProgressReporter progress_{plan_, options_, view_};
  Lines told_;
};

TEST_F(ProgressReporterTest, TellsTheWayToTheNodes) {
  progress_.begin();
  EXPECT_EQ(told(), Lines{"job j: connecting to 2 nodes over SSH, at most 64 at once"});
  options_.reach = launcher::local_reach();
  progress_.begin();
  EXPECT_EQ(told(), Lines{"job j: connecting to 2 nodes"});
}

TEST_F(ProgressReporterTest, TellsOfEachNode) {
  progress_.on_greeted(1, {"0.1.0", "host-b", 17, 0, "brought there"});
  const Lines greeted = told();
  ASSERT_EQ(greeted.size(), 1U);
  EXPECT_TRUE(greeted[0].starts_with("node2: connected after ")) << greeted[0];
  EXPECT_TRUE(greeted[0].ends_with(": adarun-agent 0.1.0 on host-b, pid 17; brought there")) << greeted[0];
  progress_.on_lost(0, "the connection was cut");
  EXPECT_EQ(told(), Lines{"node1: given up: the connection was cut"});
  progress_.on_ready(0, {true, "", "", true});
  progress_.on_ready(0, {false, "no libpmix", "", true});
  progress_.on_ready(0, {false, "", "", false});
  EXPECT_EQ(told(),
            (Lines{"node1: set up, with servers for MPI (PMIx and PMI)",
                   "node1: set up, with a server for MPICH (PMI), without one for Open MPI: no libpmix",
                   "node1: set up, without a server for MPI: --mpi off"}));
}

TEST_F(ProgressReporterTest, TellsOfASlowLoginShell) {
  progress_.on_step(0, {"log in", 1'000'000'000});
  progress_.on_step(0, {"login shell of ada", 1'100'000'000});
  progress_.on_step(0, {"start the agent", 4'500'000'000});
  progress_.on_greeted(0, {"0.1.0", "host-a", 17, 0, ""});
  const std::string parts =
      " (log in 100 ms, the login shell of ada 3.4 s: its start-up files?): adarun-agent";
  EXPECT_NE(told().front().find(parts), std::string::npos);
}

TEST_F(ProgressReporterTest, TellsOfEachRank) {
  progress_.on_started({3, 17, 0, {}, ""});
  progress_.on_started({3, 17, 0, {}, "0-3"});
  RankRecord record;
  record.state = launcher::RankState::stopped;
  record.signal = SIGTERM;
  record.ended_ns = 2'300'000'000;
  progress_.on_exited(3, record);
  EXPECT_EQ(told(),
            (Lines{"rank 3 on node2 (device 1) started, pid 17",
                   "rank 3 on node2 (device 1) started, pid 17, on CPUs 0-3",
                   "rank 3 on node2 (device 1) ended after 2.3 s: SIGTERM (Terminated), stopped by adarun"}));
}

TEST_F(ProgressReporterTest, TellsHowAJobIsStopped) {
  progress_.on_stopping({false});
  progress_.on_stopping({true});
  progress_.on_forwarded(SIGUSR1);
  EXPECT_EQ(told(), (Lines{"stopping the job: TERM to every process, KILL after 5 s",
                           "stopping the job: KILL to every process", "SIGUSR1 passed on to every rank"}));
}

TEST_F(ProgressReporterTest, TellsOfTheEndWhereThatIsGood) {
  launcher::JobReport report;
  report.duration = std::chrono::milliseconds(1500);
  progress_.end(report);
  EXPECT_EQ(told(), Lines{"the job of 4 ranks ended after 1.5 s: all exited 0; logs in log_output/"});
  report.failures = {launcher::interrupt_failure(SIGINT)};
  progress_.end(report);
  EXPECT_EQ(told(), Lines()) << "others tell of failures";
}

TEST_F(ProgressReporterTest, ShowsTheForemostOfTheRanksThatStandStill) {
  progress_.on_examined({3, ExaminedRank::Why::stays_behind, true, "main\nwait\n"});
  progress_.on_examined({1, ExaminedRank::Why::stays_behind, false, "main\n"});
  EXPECT_EQ(told(), (Lines{"rank 3, as it stands:", "    main", "    wait"}));
  progress_.on_examined({0, ExaminedRank::Why::job_hangs, true, "main\n"});
  EXPECT_EQ(told()[0], "rank 0, as it hangs:");
}

TEST_F(ProgressReporterTest, TellsOnlyNoticesAsARule) {
  log_.show(base::Level::warning);
  progress_.begin();
  progress_.on_started({3, 17, 0, {}, ""});
  progress_.on_notice("rank 3 stays behind");
  EXPECT_EQ(told(), Lines{"rank 3 stays behind"});
}

using namespace std::chrono_literals;

// Nodes: 8, of which 2 are done. Files of a node: 3; kept on all nodes: `files_kept`. Bytes: 4000 to send,
// `bytes_sent` sent.
launcher::StageProgress progress_of_8(std::size_t files_kept, std::uint64_t bytes_sent) {
  return {8, 2, 3, files_kept, 4000, bytes_sent};
}

TEST(StagingLine, SaysHowFarItIs) {
  EXPECT_EQ(staging_line(progress_of_8(0, 1000)),
            "adarun: staging: [#####...............] 1 kB of 4 kB sent, 2 of 8 nodes done");
}

TEST(DescribeStaging, SaysWhatWasSentAndWhatWasThere) {
  EXPECT_EQ(describe_staging(progress_of_8(0, 4000), 500, 1200ms),
            "staged 3 files (500 bytes) on 8 nodes in 1.2 s: 4 kB sent");
  EXPECT_EQ(describe_staging(progress_of_8(5, 4000), 500, 1200ms),
            "staged 3 files (500 bytes) on 8 nodes in 1.2 s: 4 kB sent, the rest was there");
  EXPECT_EQ(describe_staging(progress_of_8(24, 0), 500, 20ms),
            "staged 3 files (500 bytes) on 8 nodes in 20 ms: all there already");
  EXPECT_EQ(describe_staging({1, 1, 1, 0, 10, 10}, 10, 20ms),
            "staged 1 file (10 bytes) on 1 node in 20 ms: 10 bytes sent");
}

}  // namespace

}  // namespace adarun::cli
