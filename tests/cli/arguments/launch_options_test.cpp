// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/launch_options.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>
#include <tuple>

#include "cli/arguments/command.h"
#include "launcher/hosts/host_list.h"
#include "launcher/plan/plan.h"
#include "tests/cli/refusals.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;
using base::Level;
using launcher::protocol::Mpi;
using Texts = std::vector<std::string>;

std::string refusal_of_launch(LaunchOptions& options, const Texts& words) {
  return refusal_of([&options](CLI::App& app) { add_launch_options(app, options); }, words);
}

TEST(LaunchOptions, HaveTheDefaultsOfTheManual) {
  LaunchOptions options;
  EXPECT_EQ(refusal_of_launch(options, {}), "");
  EXPECT_EQ(options.log_dir, "log_output");
  EXPECT_EQ(options.mpi, Mpi::auto_);
  EXPECT_EQ(options.grace, 5s);
  EXPECT_EQ(options.timeout, std::nullopt);
  EXPECT_EQ(options.hang_timeout, std::nullopt);
  EXPECT_EQ(options.log_limit, std::nullopt);
  EXPECT_EQ(options.restarts.most, 0);
  EXPECT_EQ(options.restarts.delay, 0s);
  EXPECT_FALSE(options.spares.any());
  EXPECT_EQ(options.level, Level::warning);
  EXPECT_FALSE(options.adasum || options.detach || options.dry_run || options.json);
}

TEST(LaunchOptions, AreTakenTogether) {
  LaunchOptions options;
  EXPECT_EQ(refusal_of_launch(
                options, {"-r",   "t.json",     "--map", "hosts",           "--adasum", "--mpi",
                          "on",   "--env",      "A=1",   "--env",           "B",        "--workdir",
                          "runs", "--stage",    "a:b",   "--log-dir",       "logs",     "--log-limit",
                          "4096", "--timeout",  "2h",    "--hang-timeout",  "10m",      "--grace",
                          "1s",   "--restarts", "3",     "--restart-delay", "5s",       "--no-restart-on",
                          "2,64", "-vv"}),
            "");
  EXPECT_EQ(options.table_file, "t.json");
  EXPECT_EQ(options.map_file, "hosts");
  EXPECT_TRUE(options.adasum);
  EXPECT_EQ(options.mpi, Mpi::on);
  EXPECT_EQ(options.environment, (Texts{"A=1", "B"}));
  EXPECT_EQ(options.workdir, "runs");
  EXPECT_EQ(options.stage, (Texts{"a:b"}));
  EXPECT_EQ(options.log_dir, "logs");
  EXPECT_EQ(options.log_limit, 4096U);
  EXPECT_EQ(options.timeout, 2h);
  EXPECT_EQ(options.hang_timeout, 10min);
  EXPECT_EQ(options.grace, 1s);
  EXPECT_EQ(options.restarts.most, 3);
  EXPECT_EQ(options.restarts.delay, 5s);
  EXPECT_EQ(options.restarts.never_on, (std::set<int>{2, 64}));
  EXPECT_EQ(options.level, Level::debug);
}

TEST(LaunchOptions, OfAResilientJobRestartItOnAtLeastHalfOfItsNodes) {
  const auto settled = [](const Texts& words, const char* hosts, bool has_roles = false) {
    LaunchOptions options;
    EXPECT_EQ(refusal_of_launch(options, words), "");
    if (has_roles) options.roles.resize(1);
    launcher::Placement placement;
    placement.hosts = launcher::parse_host_list(hosts);
    placement.table = launcher::table_of(placement.hosts);
    settle_min_nodes(options, placement);
    return std::tuple(options.restarts.most, options.spares.min_nodes, options.spares.exclude_repeated);
  };
  using Settled = std::tuple<int, std::optional<std::size_t>, bool>;
  EXPECT_EQ(settled({"--resilient"}, "n[1-5]:8"), Settled(3, 3, true));
  EXPECT_EQ(settled({}, "n[1-5]:8"), Settled(0, std::nullopt, false));
  EXPECT_EQ(settled({"--resilient", "--restarts", "1", "--min-nodes", "4"}, "n[1-5]:8"), Settled(1, 4, true));
  EXPECT_EQ(settled({"--resilient", "--restarts", "0"}, "n[1-4]:8"), Settled(0, 2, true));
  EXPECT_EQ(settled({"--resilient", "--exclude-on", "check"}, "n[1-4]:8"), Settled(3, 2, false));
  EXPECT_EQ(settled({"--resilient"}, "n1:8"), Settled(3, std::nullopt, false));
  EXPECT_EQ(settled({"--resilient"}, "n[1-4]:8", true), Settled(3, std::nullopt, false));
  EXPECT_EQ(settled({"--resilient", "--adasum"}, "n[1-4]:8"), Settled(3, 2, true));
  EXPECT_EQ(settled({"--resilient", "--adasum"}, "n[1-2]:8"), Settled(3, std::nullopt, false));
}

TEST(LaunchOptions, RunRanksOnThisMachineIfNoHostIsNamed) {
  const std::pair<Texts, std::string> cases[] = {
      {{"--standalone"}, "localhost:1"},
      {{"--standalone", "--nproc-per-node", "8"}, "localhost:8"},
      {{"--standalone", "--nnodes", "1", "-n", "2"}, "localhost:2"},
      {{"-n", "4"}, "localhost:4"}};
  for (const auto& [words, hosts] : cases) {
    LaunchOptions options;
    EXPECT_EQ(refusal_of_launch(options, words), "");
    EXPECT_EQ(options.hosts, hosts);
    EXPECT_TRUE(options.reach->is_local());
  }
}

TEST(LaunchOptions, RefuseOtherPlacesBesideThisMachine) {
  for (const Texts& words : {Texts{"-H", "a"}, Texts{"-r", "t.json"}, Texts{"--via", "slurm"}}) {
    LaunchOptions options;
    Texts all = words;
    all.emplace_back("--standalone");
    EXPECT_NE(refusal_of_launch(options, all).find("excludes"), std::string::npos);
  }
}

TEST(LaunchOptions, AreRefusedWithWhatIsWanted) {
  const std::string statuses = ": wanted exit statuses such as 2,64";
  const std::pair<Texts, std::string> cases[] = {
      {{"--mpi", "maybe"}, "--mpi: \"maybe\": wanted auto|on|off"},
      {{"--log-limit", "4095"}, "--log-limit: \"4095\": wanted at least 4 kB"},
      {{"--lease", "999ms"}, "--lease: \"999ms\": wanted at least 1 s"},
      {{"--grace", "0"}, "--grace: \"0\": wanted a duration such as 10s, 2m or 1h30m"},
      {{"--min-ranks", "0"}, "--min-ranks: \"0\": wanted a number from 1 to 1048576"},
      {{"--restarts", "1001"}, "--restarts: \"1001\": wanted a number from 0 to 1000"},
      {{"--no-restart-on", "0"}, "--no-restart-on: \"0\"" + statuses},
      {{"--no-restart-on", "256"}, "--no-restart-on: \"256\"" + statuses},
      {{"--no-restart-on", "2,,3"}, "--no-restart-on: \"2,,3\"" + statuses},
      {{"--no-restart-on", "2 3"}, "--no-restart-on: \"2 3\"" + statuses},
      {{"--map", "hosts"}, "--map requires --rank-table"},
      {{"-q", "-v"}, "-q,--quiet excludes -v,--verbose"},
  };
  for (const auto& [words, said] : cases) {
    LaunchOptions options;
    const std::string refusal = refusal_of_launch(options, words);
    if (words[0] == "-q")
      EXPECT_NE(refusal.find("excludes"), std::string::npos) << refusal;
    else
      EXPECT_EQ(refusal, said);
  }
}

TEST(Lease, IsLongerForADetachedJobUnlessItIsGiven) {
  const std::pair<Texts, std::chrono::milliseconds> cases[] = {
      {{}, 10s}, {{"--detach"}, 10min}, {{"--lease", "3s"}, 3s}, {{"--detach", "--lease", "3s"}, 3s}};
  for (const auto& [words, lease] : cases) {
    LaunchOptions options;
    EXPECT_EQ(refusal_of_launch(options, words), "");
    EXPECT_EQ(options.lease, lease);
  }
}

TEST(Verbosity, ChoosesTheLeastThatIsShown) {
  const std::pair<Texts, Level> cases[] = {
      {{}, Level::warning}, {{"-q"}, Level::error}, {{"-v"}, Level::info}, {{"-vv"}, Level::debug}};
  for (const auto& [words, level] : cases) {
    LaunchOptions options;
    EXPECT_EQ(refusal_of_launch(options, words), "");
    EXPECT_EQ(options.level, level);
  }
}

TEST(UserEnvironment, HasTheFilesVariablesBeforeThoseOfTheOptions) {
  const test::ScratchFolder scratch;
  LaunchOptions options;
  options.environment_file = scratch.write("env", "A=file\nB=2\n");
  options.environment = {"A=option", "C="};
  EXPECT_EQ(user_environment(options), (Texts{"A=file", "B=2", "A=option", "C="}));
}

TEST(UserEnvironment, TakesTheValueOfThisProcessForANameAlone) {
  setenv("ADARUN_TEST_VALUE", "a=b", 1);
  LaunchOptions options;
  options.environment = {"ADARUN_TEST_VALUE"};
  EXPECT_EQ(user_environment(options), (Texts{"ADARUN_TEST_VALUE=a=b"}));
  unsetenv("ADARUN_TEST_VALUE");
}

TEST(UserEnvironment, RefusesWhatIsNoVariable) {
  unsetenv("ADARUN_TEST_VALUE");
  const std::pair<const char*, const char*> cases[] = {
      {"1A=x", "--env \"1A=x\": wanted NAME or NAME=VALUE, a NAME of letters, digits and _, no digit first"},
      {"=x", "--env \"=x\": wanted NAME or NAME=VALUE, a NAME of letters, digits and _, no digit first"},
      {"ADARUN_TEST_VALUE", "--env ADARUN_TEST_VALUE: this variable is not set here"},
  };
  for (const auto& [variable, said] : cases) {
    LaunchOptions options;
    options.environment = {variable};
    EXPECT_EQ(exit_message([&options] { user_environment(options); }), said);
  }
}

}  // namespace
}  // namespace adarun::cli
