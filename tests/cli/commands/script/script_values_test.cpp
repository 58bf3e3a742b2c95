// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/script_values.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

launcher::Placement placement_on(const std::string& hosts) {
  LaunchOptions options;
  options.hosts = hosts;
  return place(options);
}

std::string filtered(const char* filter, const std::string& text) {
  return script_filters().at(filter)(text);
}

TEST(ScriptValues, AreOfTheJobAndOfEachNode) {
  ScriptJob job;
  job.program = {"./train", "--name", "a b"};
  const templates::Values values = script_values(placement_on("node1:2,node2:2"), job);
  EXPECT_EQ(values.texts.at("program"), "./train --name 'a b'");
  EXPECT_EQ(values.texts.at("name"), "adarun");
  EXPECT_EQ(values.texts.at("master"), "node1");
  EXPECT_EQ(values.texts.at("node_count"), "2");
  EXPECT_EQ(values.texts.at("world_size"), "4");
  const std::vector<templates::Values>& nodes = values.lists.at("nodes");
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].texts.at("number"), "2");
  EXPECT_EQ(nodes[1].texts.at("host"), "node2");
  EXPECT_EQ(nodes[1].texts.at("rank_start"), "2");
  EXPECT_EQ(nodes[1].texts.at("device_count"), "2");
  ASSERT_EQ(nodes[1].lists.at("ranks").size(), 2U);
  EXPECT_EQ(nodes[1].lists.at("ranks")[1].texts.at("rank"), "3");
  EXPECT_EQ(nodes[1].lists.at("ranks")[1].texts.at("local_rank"), "1");
}

TEST(ScriptValues, LeaveVariablesOfEachRankToTheScripts) {
  const templates::Values values = script_values(placement_on("node1:2"), {});
  for (const templates::Values& node : values.lists.at("nodes"))
    for (const templates::Values& variable : node.lists.at("variables")) {
      EXPECT_NE(variable.texts.at("name"), "RANK_ID");
      EXPECT_NE(variable.texts.at("name"), "DEVICE_ID");
      EXPECT_NE(variable.texts.at("name"), "RANK_TABLE_FILE");
    }
}

TEST(ScriptValues, CountNodesThatTheSiteChooses) {
  ScriptJob job;
  job.node_count = 3;
  job.tasks_per_node = 8;
  const templates::Values values = script_values({}, job);
  EXPECT_EQ(values.texts.at("node_count"), "3");
  EXPECT_EQ(values.texts.at("world_size"), "24");
  EXPECT_EQ(values.texts.at("master"), "");
  EXPECT_TRUE(values.lists.at("nodes").empty());
}

TEST(ScriptValues, RefuseANodeWhoseRanksAreNotInOneRow) {
  launcher::Placement placement = placement_on("node1:2,node2:2");
  std::swap(placement.table.servers[0].devices[1].rank_id, placement.table.servers[1].devices[1].rank_id);
  const auto [status, said] = exit_of([&placement] { script_values(placement, {}); });
  EXPECT_EQ(status, exit_no);
  EXPECT_NE(said.find("node1: its ranks do not follow one another (0, then 3)"), std::string::npos) << said;
}

TEST(ScriptFilters, WriteBlocksOfYamlForPeople) {
  EXPECT_EQ(filtered("block", "a: b\n\n  c #d\n"), "|\n    a: b\n\n      c #d");
  EXPECT_EQ(filtered("block", "{}"), "|-\n    {}");
  for (const char* text : {"", " a", "\na", "a\n\n", "a\tb", "\303\244", "a\rb"})
    EXPECT_EQ(filtered("block", text), filtered("text", text)) << text;
}

TEST(OneLineWords, HaveNoLineEnds) {
  EXPECT_EQ(one_line_words({"a", "two\nlines"}), " a $'two\\012lines'");
}

TEST(ShellWords, HaveABlankBeforeEach) {
  EXPECT_EQ(shell_words({"a", "b c", ""}), " a 'b c' ''");
  EXPECT_EQ(shell_words({}), "");
}

TEST(ScriptFilters, WriteATextAsTheTemplateAsksForIt) {
  EXPECT_EQ(filtered("word", "a'b"), "'a'\\''b'");
  EXPECT_EQ(filtered("word", "a-b"), "a-b");
  EXPECT_EQ(filtered("text", "a\"b\n\x7f"), "\"a\\\"b\\n\\u007f\"");
  EXPECT_EQ(filtered("line", "a\nb\tc"), "a b c");
}

const std::vector<launcher::Role> two_roles{{"server", {0, 2}, {"./server"}},
                                            {"worker", {1}, {"./worker", "a b"}}};

TEST(RoleValues, KeepTheProgramOfAJobWithoutRoles) {
  templates::Values values{{{"program", "./train"}}, {}};
  add_programs(values, {});
  EXPECT_EQ(values.texts.at("program"), "./train");
  EXPECT_EQ(values.lists.at("one_program").size(), 1U);
  EXPECT_TRUE(values.lists.at("any_role").empty());
  EXPECT_TRUE(values.lists.at("roles").empty());
}

TEST(RoleValues, HaveTheProgramOfEachRole) {
  templates::Values values{{{"program", "./train"}}, {}};
  add_programs(values, two_roles);
  EXPECT_EQ(values.texts.count("program"), 0U);
  EXPECT_TRUE(values.lists.at("one_program").empty());
  EXPECT_EQ(values.lists.at("any_role").size(), 1U);
  const std::vector<templates::Values>& roles = values.lists.at("roles");
  ASSERT_EQ(roles.size(), 2U);
  EXPECT_EQ(roles[0].texts.at("role"), "server");
  EXPECT_EQ(roles[1].texts.at("program"), "./worker 'a b'");
}

TEST(RoleValues, HaveTheVariablesOfEachRank) {
  std::vector<templates::Values> ranks{{{{"rank", "1"}}, {}}, {{{"rank", "2"}}, {}}};
  add_role_variables(ranks, two_roles);
  EXPECT_EQ(ranks[0].texts.at("role_variables").substr(0, 41), " ADARUN_ROLE=worker ADARUN_ROLE_RANK=0 AD");
  EXPECT_EQ(ranks[1].texts.at("role_variables").substr(0, 38), " ADARUN_ROLE=server ADARUN_ROLE_RANK=1");
  add_role_variables(ranks, {});
  EXPECT_EQ(ranks[0].texts.count("role_variables"), 1U);
}

}  // namespace

}  // namespace adarun::cli
