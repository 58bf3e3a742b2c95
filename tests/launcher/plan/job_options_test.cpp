// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/job_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/base/error.h"
#include "launcher/protocol/start.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

std::string refusal_of_roles(const std::vector<Role>& roles, std::size_t world_size) {
  try {
    role_of_ranks(roles, world_size);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

JobOptions two_programs() {
  JobOptions options;
  options.argv = {"./prefill"};
  options.roles = {{"prefill", {0, 3}, {"./prefill"}}, {"decode", {1, 2}, {"./decode", "a b"}}};
  return options;
}

TEST(Role, IsFoundForEachRank) {
  EXPECT_EQ(role_of_ranks({{"a", {0, 3}, {"a"}}, {"b", {1, 2}, {"b"}}}, 4), (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(role_of_ranks({}, 4), Numbers{});
}

TEST(Role, IsWantedOnceForEachRankOfTheJob) {
  EXPECT_EQ(refusal_of_roles({{"a", {0, 1}, {"a"}}, {"b", {1, 2}, {"b"}}}, 3),
            "rank 1 is in two roles, a and b: wanted one");
  EXPECT_EQ(refusal_of_roles({{"a", {0, 2}, {"a"}}}, 4),
            "rank 1 is in no role: each of the job's 4 ranks wants one");
  EXPECT_EQ(refusal_of_roles({{"a", {0, 1, 2}, {"a"}}}, 2),
            "role a: rank 2 of a job of 2: its ranks begin at 0");
}

TEST(Role, TellsARankItsPlaceAmongItsKind) {
  const Role role{"decode", {1, 2, 7}, {"./decode"}};
  EXPECT_EQ(role_variables(role, 7), (Texts{"ADARUN_ROLE=decode", "ADARUN_ROLE_RANK=2", "ADARUN_ROLE_SIZE=3",
                                            "ROLE_NAME=decode", "ROLE_RANK=2", "ROLE_WORLD_SIZE=3"}));
}

TEST(Role, GivesItsRanksAProgramAndANumber) {
  const Plan plan = plan_of("a:2,b:2", two_programs());
  EXPECT_EQ(plan.job_spec.application_of_rank, (Numbers{0, 1, 1, 0}));
  const protocol::Start start = protocol::complete(plan.nodes[1].start, plan.job_spec);
  EXPECT_EQ(start.ranks[0].argv, (Texts{"./decode", "a b"}));
  EXPECT_EQ(start.ranks[1].argv, Texts{"./prefill"});
  EXPECT_EQ(start.application_of(2), 1U);
  EXPECT_EQ(start.application_of(4), 0U) << "no rank of the job";
  EXPECT_EQ(plan.role_of(2)->name, "decode");
  EXPECT_EQ(std::ranges::count(start.ranks[1].environment, std::string("ADARUN_ROLE_RANK=1")), 1);
}

TEST(Role, MayHaveVariablesAndAFolderOfItsOwn) {
  JobOptions options = two_programs();
  options.environment = {"A=job", "B=job"};
  options.workdir = "/job";
  options.roles[1].environment = {"A=decode", "C=decode"};
  options.roles[1].workdir = "/decode";
  const Plan plan = plan_of("a:2,b:2", options);
  const auto value = [&](std::size_t rank, const std::string& name) {
    std::string found = "unset";
    const protocol::Start start = protocol::complete(plan.nodes[rank / 2].start, plan.job_spec);
    for (const std::string& variable : start.ranks[rank % 2].environment)
      if (variable.starts_with(name + "=")) found = variable.substr(name.size() + 1);
    return found;
  };
  EXPECT_EQ(value(2, "A"), "decode");
  EXPECT_EQ(value(3, "A"), "job");
  EXPECT_EQ(value(2, "B"), "job");
  EXPECT_EQ(value(2, "C"), "decode");
  EXPECT_EQ(value(3, "C"), "unset");
  const protocol::Start start = protocol::complete(plan.nodes[1].start, plan.job_spec);
  EXPECT_EQ(start.ranks[0].workdir, "/decode");
  EXPECT_EQ(start.ranks[1].workdir, "/job");
}

TEST(Role, ChangesNothingOfAJobWithoutAny) {
  const Plan plan = plan_of("a:2");
  EXPECT_EQ(plan.role_of(1), nullptr);
  EXPECT_TRUE(plan.job_spec.application_of_rank.empty());
  EXPECT_TRUE(plan.nodes[0].start.ranks[0].argv.empty()) << "it is in the JobSpec";
  for (const std::string& variable : plan.nodes[0].start.ranks[0].environment)
    EXPECT_EQ(variable.find("ROLE"), std::string::npos) << variable;
}

TEST(Role, MustFitThePlannedRanks) {
  EXPECT_THROW(plan_of("a:2,b:1", two_programs()), Error);
}

}  // namespace
}  // namespace adarun::launcher
