// SPDX-License-Identifier: Apache-2.0
#include "cli/view/launch_job.h"

#include <gtest/gtest.h>

#include <regex>

#include "cli/arguments/command.h"
#include "launcher/transport/local/local_reach.h"
#include "tests/cli/refusals.h"
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
  options.roles = {{"worker", {0}, {"./train"}, {}, {}, "role"}};
  const launcher::JobOptions job = job_options(options, {"./train", "--lr"});
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(job.argv, (Words{"./train", "--lr"}));
  EXPECT_EQ(job.environment, Words{"A=1"});
  EXPECT_EQ(job.workdir, here / "runs");
  EXPECT_EQ(job.roles[0].workdir, here / "role");
  EXPECT_EQ(job.log_folder, here / "log_output");
  EXPECT_EQ(job.mpi, launcher::protocol::Mpi::off);
  EXPECT_EQ(job.lease, 3s);
  EXPECT_EQ(job.grace, 4s);
  EXPECT_EQ(job.process_limits.umask, 027);
  EXPECT_FALSE(job.keeps_agents());
}

TEST(JobOptions, KeepAgentsForRanksThatAreStartedAgainThereOrOnSpares) {
  LaunchOptions options;
  options.spares.spares = "node9";
  EXPECT_FALSE(options.restarts_ranks());
  options.min_ranks = 2;
  EXPECT_TRUE(options.restarts_ranks());
  options.spares.spares = "";
  EXPECT_FALSE(options.restarts_ranks());
  options.rank_restarts = 1;
  EXPECT_TRUE(options.restarts_ranks());
}

TEST(AttemptOptions, HaveAnIdOfTimeAndChanceAndASecret) {
  launcher::Placement placement;
  placement.table_text = "{}";
  const launcher::AttemptOptions one = attempt_options({}, placement, {});
  const launcher::AttemptOptions other = attempt_options({}, placement, {});
  EXPECT_EQ(one.rank_table, "{}");
  EXPECT_TRUE(std::regex_match(one.job_id, std::regex("[0-9]{8}-[0-9]{6}-[0-9a-f]{6}"))) << one.job_id;
  EXPECT_TRUE(std::regex_match(one.secret, std::regex("[0-9a-f]{32}")));
  EXPECT_NE(one.job_id, other.job_id);
  EXPECT_NE(one.secret, other.secret);
}

TEST(JobOptions, KeepAgentsWhereThereMayBeAnotherAttempt) {
  LaunchOptions restarted;
  restarted.restarts.most = 1;
  EXPECT_TRUE(restarted.keeps_agents());
  LaunchOptions with_spare;
  with_spare.spares.spares = "node9";
  EXPECT_TRUE(with_spare.keeps_agents());
}

TEST(JobOptions, LetAgentsBeMetAgainUnlessTheyAreOfThisMachine) {
  LaunchOptions options;
  EXPECT_TRUE(job_options(options, {"true"}).resumable);
  options.reach = launcher::local_reach();
  EXPECT_FALSE(job_options(options, {"true"}).resumable);
}

TEST(AttemptOptions, StageWhatIsThereAndAreWrongUsageOtherwise) {
  const test::ScratchFolder scratch;
  LaunchOptions options;
  options.stage = {scratch.write("data", "12345").string() + ":/data"};
  const launcher::StageList stage = attempt_options(options, {}, {}).stage;
  ASSERT_EQ(stage.size(), 1U);
  EXPECT_EQ(stage[0].item.path, "/data");
  EXPECT_EQ(stage[0].item.size, 5U);
  options.stage = {scratch.path() / "none"};
  EXPECT_NE(exit_message([&options] { attempt_options(options, {}, {}); }), "");
}

}  // namespace
}  // namespace adarun::cli
