// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/roles.h"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "base/log/log.h"
#include "cli/arguments/command.h"
#include "launcher/hosts/host_list.h"
#include "launcher/plan/plan.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

using Texts = std::vector<std::string>;

Texts split(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

/// "NAME RANK,RANK: PROGRAM ARGS" for each role; for refused words the message.
Texts roles_in(const Texts& texts, const std::string& line) {
  Texts found;
  try {
    for (const launcher::Role& role : read_roles(texts, split(line))) {
      std::string text = role.name;
      for (const std::uint32_t rank : role.ranks) text += " " + std::to_string(rank);
      text += ":";
      for (const std::string& word : role.argv) text += " " + word;
      found.push_back(text);
    }
  } catch (const ExitError& error) {
    EXPECT_EQ(error.status(), exit_usage);
    return {error.what()};
  }
  return found;
}

TEST(Roles, HaveAProgramEach) {
  EXPECT_EQ(roles_in({"prefill=0,2-3"}, "./prefill --lr 1 --role decode=1,4 -- ./decode -n 2"),
            (Texts{"prefill 0 2 3: ./prefill --lr 1", "decode 1 4: ./decode -n 2"}));
  EXPECT_EQ(roles_in({"a=0"}, "x --role=b=1 -- y --role c-d_3=2 -- z"),
            (Texts{"a 0: x", "b 1: y", "c-d_3 2: z"}));
  EXPECT_EQ(roles_in({"all=0-1"}, "x"), Texts{"all 0 1: x"});
}

TEST(Roles, AreNotLookedForWithoutTheOption) {
  EXPECT_EQ(roles_in({}, "x --role b=1 -- y"), Texts{});
}

TEST(Roles, LeaveAProgramItsOwnWords) {
  EXPECT_EQ(roles_in({"a=0"}, "x --role worker y -- z --role"), Texts{"a 0: x --role worker y -- z --role"});
  EXPECT_EQ(roles_in({"a=0"}, "x --role=worker y"), Texts{"a 0: x --role=worker y"});
}

TEST(Roles, AreRefusedInOneLine) {
  const std::string form =
      ": wanted NAME=RANKS such as decode=8-15, a NAME of letters, digits, - and _, a letter first";
  for (const std::string text : {"a", "=0", "1a=0", "a b=0", "a.b=0"})
    EXPECT_EQ(roles_in({text}, "x"), Texts{"--role \"" + text + "\"" + form});
  EXPECT_NE(roles_in({std::string(64, 'a') + "=0"}, "x").front().find(form), std::string::npos);
  for (const std::string ranks : {"", "3-1", "x", "0,", "-1"})
    EXPECT_EQ(roles_in({"a=" + ranks}, "x"),
              Texts{"--role a: \"" + ranks + "\": wanted ranks such as 0,3 or 0-7,12"});
  EXPECT_EQ(roles_in({"a=0"}, "x --role b=1 -- y --role a=2 -- z"),
            Texts{"--role \"a=2\": a second role of this name"});
}

TEST(Roles, WantAProgramEach) {
  const std::string why = ": wanted -- and its program behind it";
  EXPECT_EQ(roles_in({"a=0", "b=1"}, "x"), Texts{"--role \"a=0\"" + why});
  EXPECT_EQ(roles_in({"a=0"}, "--role b=1 -- x"), Texts{"--role \"a=0\"" + why});
  EXPECT_EQ(roles_in({"a=0"}, "x --role b=1 -- --role c=2 -- y"), Texts{"--role \"b=1\"" + why});
  EXPECT_EQ(roles_in({"a=0"}, "x --role b=1 --"), Texts{"--role \"b=1\"" + why});
}

std::string refusal_of_text(const std::string& text) {
  return exit_message([&text] { read_role(text); });
}

TEST(RoleText, MayEndWithAPolicy) {
  const launcher::Role role = read_role("proxy=0,2-3:background,optional,restarts=12");
  EXPECT_EQ(role.name, "proxy");
  EXPECT_EQ(role.ranks, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(role.policy, (launcher::RolePolicy{true, true, 12}));
  EXPECT_EQ(read_role("a=1").policy, launcher::RolePolicy{});
  EXPECT_EQ(read_role("a=1:optional").policy, (launcher::RolePolicy{false, true, 0}));
}

TEST(RoleText, NamesAWordThatIsNoPolicy) {
  const auto line = [](const std::string& text, const std::string& word) {
    return "--role \"" + text + "\": \"" + word + "\": wanted background, optional or restarts=N";
  };
  for (const std::string word : {"", "Background", "restarts", "restarts=", "restarts=-1", "restarts=x",
                                 "restarts=1000001", "restarts=1x"}) {
    EXPECT_EQ(refusal_of_text("a=0:" + word), line("a=0:" + word, word));
    EXPECT_EQ(refusal_of_text("a=0:optional," + word + ",background"),
              line("a=0:optional," + word + ",background", word));
  }
  EXPECT_EQ(refusal_of_text("a=0:optional,"), line("a=0:optional,", ""));
}

TEST(RoleText, WantsRanksBeforeIt) {
  EXPECT_EQ(refusal_of_text("a=:optional"), "--role a: \"\": wanted ranks such as 0,3 or 0-7,12");
  EXPECT_EQ(refusal_of_text("a:optional"),
            "--role \"a:optional\": wanted NAME=RANKS such as decode=8-15, a NAME of letters, digits, - and "
            "_, a letter first");
}

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
  EXPECT_EQ(exit_message([&] { programs({}, {"x"}, spec); }),
            "launch: the file of --spec has a program: wanted none behind it");
  EXPECT_EQ(exit_message([&] { programs({}, {""}); }),
            "launch: the program is an empty word (a variable that is not set?)");
  const Texts second_empty{"x", "--role", "b=1", "--", ""};
  EXPECT_EQ(exit_message([&] { programs({"a=0"}, second_empty); }),
            "--role \"b=1\": the program is an empty word (a variable that is not set?)");
  for (const char* hosts : {"node[1-4]:8", "a:8,b:8", "me@gpu9:4", "node[01-16]", "[fd00::1]:8"})
    EXPECT_EQ(exit_message([&] {
                programs({}, {hosts, "x"});
              }),
              "launch: \"" + std::string(hosts) +
                  "\" looks like a list of hosts, where the program is to be: wanted --hosts " + hosts);
  for (const char* program : {"./a:8", "train", "a,b", "x=1:2", "[", "a:b"})
    EXPECT_EQ(programs({}, {program}).program, Texts{program});
  EXPECT_EQ(exit_message([&] { programs({}, {}); }),
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
  EXPECT_EQ(exit_message([&] { roles_on(given, placement); }), "role two: \"d\" is none of the job's hosts");
  given.hosts["two"] = "d:x";
  EXPECT_NE(exit_message([&] { roles_on(given, placement); }).find("hosts of role two"), std::string::npos);
}

TEST(OptionsOfRoles, AreNotThoseThatLeaveRanksOut) {
  const std::vector<launcher::Role> usual{{"a", {0}, {"x"}}};
  const std::vector<launcher::Role> optional{{"a", {0}, {"x"}, {false, true, 0}}};
  const std::vector<launcher::Role> background{{"a", {0}, {"x"}, {true, false, 0}}};
  const auto refusal_of = [](const std::vector<launcher::Role>& roles, const LaunchOptions& options) {
    return exit_message([&] { require_options_fit(roles, options); });
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
