// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/role_values.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

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
