// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/job_programs.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/log/log.h"
#include "cli/arguments/command.h"
#include "launcher/hosts/read.h"
#include "launcher/plan/plan.h"
#include "tests/cli/quit_message.h"

namespace adarun::cli {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

/// A command line with this program, and maybe a file of --spec.
class JobProgramsTest : public testing::Test {
 protected:
  JobPrograms programs(const Texts& roles, const Texts& trailing, std::shared_ptr<SpecFile> spec = nullptr) {
    invocation_.trailing = trailing;
    invocation_.spec = std::move(spec);
    return read_programs(roles, invocation_);
  }

  base::Log log_{"test"};
  Invocation invocation_{log_};
};

TEST_F(JobProgramsTest, AreOfTheCommandLineOrOfTheFile) {
  EXPECT_EQ(programs({}, {"x", "y"}).first(), (Texts{"x", "y"}));
  EXPECT_EQ(programs({"a=0"}, {"x"}).first(), Texts{"x"});
  EXPECT_TRUE(programs({"a=0"}, {"x"}).program.empty());
  const auto spec = std::make_shared<SpecFile>();
  EXPECT_EQ(programs({}, {"x"}, spec).first(), Texts{"x"}) << "the file has options alone";
  spec->program = {"z"};
  EXPECT_EQ(programs({}, {}, spec).first(), Texts{"z"});
  EXPECT_EQ(quit_message([&] { programs({}, {"x"}, spec); }),
            "launch: the file of --spec has a program: wanted none behind it");
  EXPECT_EQ(quit_message([&] { programs({}, {}); }),
            "launch: no program given, as in: adarun launch --hosts node1:8 ./train");
}

TEST(RolesOnHosts, HaveTheRanksOfTheseHosts) {
  launcher::Placement placement;
  placement.hosts = launcher::parse_host_list("a:2,b:1,c:2");
  placement.table = launcher::table_of(placement.hosts);
  GivenRoles given{{{"one", {}, {"x"}}, {"two", {}, {"y"}}}, {{"one", "c:2,a:2"}, {"two", "b"}}};
  const std::vector<launcher::Role> roles = roles_on(given, placement);
  EXPECT_EQ(roles[0].ranks, (Numbers{0, 1, 3, 4}));
  EXPECT_EQ(roles[1].ranks, Numbers{2});
  given.hosts["two"] = "d";
  EXPECT_EQ(quit_message([&] { roles_on(given, placement); }), "role two: \"d\" is none of the job's hosts");
  given.hosts["two"] = "d:x";
  EXPECT_NE(quit_message([&] { roles_on(given, placement); }).find("hosts of role two"), std::string::npos);
}

TEST(OptionsOfRoles, AreNotThoseThatLeaveRanksOut) {
  const std::vector<launcher::Role> usual{{"a", {0}, {"x"}}};
  const std::vector<launcher::Role> optional{{"a", {0}, {"x"}, {false, true, 0}}};
  const std::vector<launcher::Role> background{{"a", {0}, {"x"}, {true, false, 0}}};
  const auto refusal_of = [](const std::vector<launcher::Role>& roles, const LaunchOptions& options) {
    return quit_message([&] { require_options_fit(roles, options); });
  };
  LaunchOptions options;
  EXPECT_EQ(refusal_of(usual, options), "");
  EXPECT_EQ(refusal_of(background, options),
            "--role: all roles are in the background: the job has none to wait for");
  options.min_ranks = 1;
  EXPECT_EQ(refusal_of(usual, options), "");
  EXPECT_EQ(refusal_of(optional, options),
            "--min-ranks: not with roles that are background, optional or restarted");
  options.spares.min_nodes = 1;
  EXPECT_EQ(refusal_of(usual, options),
            "--role: not with --min-nodes: with fewer nodes, ranks of a role would be missing");
  EXPECT_EQ(refusal_of({}, options), "");
}

}  // namespace
}  // namespace adarun::cli
