// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_options.h"

#include <gtest/gtest.h>

#include <regex>

#include "cli/options/command.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

TEST(JobOptions, AreWhatTheCommandLineSays) {
  LaunchOptions options;
  options.environment = {"A=1"};
  options.workdir = "runs";
  options.log_dir = "logs/../log_output";
  options.mpi = launcher::protocol::Mpi::off;
  options.lease = 3s;
  options.grace = 4s;
  options.process_limits.umask = 027;
  JobPlacement placement;
  placement.table_text = "{}";
  const launcher::JobOptions job = job_options(options, placement, {"./train", "--lr"}, {});
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(job.argv, (Words{"./train", "--lr"}));
  EXPECT_EQ(job.environment, Words{"A=1"});
  EXPECT_EQ(job.rank_table, "{}");
  EXPECT_EQ(job.workdir, here / "runs");
  EXPECT_EQ(job.log_dir, here / "log_output");
  EXPECT_EQ(job.mpi, launcher::protocol::Mpi::off);
  EXPECT_EQ(job.lease, 3s);
  EXPECT_EQ(job.grace, 4s);
  EXPECT_EQ(job.process_limits.umask, 027);
  EXPECT_TRUE(job.earlier.empty());
  EXPECT_FALSE(job.stays);
}

TEST(JobOptions, KeepAgentsForRanksThatAreStartedAgainThereOrOnSpares) {
  LaunchOptions options;
  options.spares.spares = "node9";
  EXPECT_FALSE(job_options(options, {}, {"true"}, {}).restarts_ranks);
  options.min_ranks = 2;
  EXPECT_TRUE(job_options(options, {}, {"true"}, {}).restarts_ranks);
  options.spares.spares = "";
  EXPECT_FALSE(job_options(options, {}, {"true"}, {}).restarts_ranks);
  options.rank_restarts = 1;
  EXPECT_TRUE(job_options(options, {}, {"true"}, {}).restarts_ranks);
}

TEST(JobOptions, HaveAnIdOfTimeAndChanceAndASecret) {
  const launcher::JobOptions one = job_options({}, {}, {"true"}, {});
  const launcher::JobOptions other = job_options({}, {}, {"true"}, {});
  EXPECT_TRUE(std::regex_match(one.job_id, std::regex("[0-9]{8}-[0-9]{6}-[0-9a-f]{6}"))) << one.job_id;
  EXPECT_TRUE(std::regex_match(one.secret, std::regex("[0-9a-f]{32}")));
  EXPECT_NE(one.job_id, other.job_id);
  EXPECT_NE(one.secret, other.secret);
}

TEST(JobOptions, KeepAgentsWhereThereMayBeAnotherAttempt) {
  LaunchOptions restarted;
  restarted.restarts.most = 1;
  EXPECT_TRUE(job_options(restarted, {}, {"true"}, {}).stays);
  LaunchOptions with_spare;
  with_spare.spares.spares = "node9";
  EXPECT_TRUE(job_options(with_spare, {}, {"true"}, {}).stays);
}

TEST(JobOptions, LetAgentsBeMetAgainUnlessTheyAreOfThisMachine) {
  LaunchOptions options;
  EXPECT_TRUE(job_options(options, {}, {"true"}, {}).resumable);
  options.via = Via::slurm;
  EXPECT_TRUE(job_options(options, {}, {"true"}, {}).resumable);
  options.via = Via::command;
  EXPECT_TRUE(job_options(options, {}, {"true"}, {}).resumable);
  options.via = Via::local;
  EXPECT_FALSE(job_options(options, {}, {"true"}, {}).resumable);
}

TEST(JobOptions, StageWhatIsThereAndAreWrongUsageOtherwise) {
  const test::ScratchFolder scratch;
  LaunchOptions options;
  options.stage = {scratch.write("data", "12345").string() + ":/data"};
  const launcher::JobOptions job = job_options(options, {}, {"true"}, {});
  ASSERT_EQ(job.stage.size(), 1U);
  EXPECT_EQ(job.stage[0].item.path, "/data");
  EXPECT_EQ(job.stage[0].item.size, 5U);
  options.stage = {scratch.path() / "none"};
  try {
    job_options(options, {}, {"true"}, {});
    ADD_FAILURE();
  } catch (const Quit& quit) {
    EXPECT_EQ(quit.status(), exit_usage) << quit.what();
  }
}

}  // namespace
}  // namespace adarun::cli
