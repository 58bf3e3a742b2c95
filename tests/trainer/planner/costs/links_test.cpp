// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/costs/links.h"

#include <gtest/gtest.h>

#include "tests/trainer/refusal.h"

namespace adarun::planner {
namespace {

using trainer::testing_data::refusal;

const MeasuredLinks measured{
    {{"node", 1e-6, 1e-10, false}, {"pod", 5e-6, 2e-10, false}, {"cluster", 3e-5, 1e-9, true}}, {}};

TEST(LinksOf, HaveALevelForEachKindOfNeighbour) {
  const LinkLevels wanted{{"node", 8, 1e-6, 1e-10, 1}, {"cluster", 16, 3e-5, 1e-9, 8}};
  EXPECT_EQ(links_of(measured, {{8, 8}}), wanted);
  EXPECT_EQ(links_of(measured, {{8}}), (LinkLevels{{"node", 8, 1e-6, 1e-10, 1}}));
  const LinkLevels with_pods{
      {"node", 4, 1e-6, 1e-10, 1}, {"pod", 8, 5e-6, 2e-10, 1}, {"cluster", 16, 3e-5, 1e-9, 4}};
  EXPECT_EQ(links_of(measured, {{4, 4, 4, 4}, {8, 8}}), with_pods);
}

TEST(LinksOf, TakeNodesOfUnlikeSizesAsUnitsOfTheirCommonDivisor) {
  EXPECT_EQ(links_of(measured, {{8, 4}}).front().ranks, 4);
  EXPECT_EQ(links_of(measured, {{8, 7}}).back().sharing, 8) << "ranks of the largest node share its link";
  EXPECT_EQ(links_of(measured, {{1, 1, 1}}).front().name, "cluster");
  EXPECT_EQ(links_of(measured, {{1}}).size(), 1U);
}

TEST(LinksOf, NameTheLevelThatWasNotMeasured) {
  const MeasuredLinks only_node{{{"node", 1e-6, 1e-10, false}}, {}};
  EXPECT_EQ(refusal<Error>([&] {
              links_of(only_node, {{8, 8}});
            }),
            "costs have no level \"cluster\", which 16 ranks of nodes of 8 need");
}

}  // namespace
}  // namespace adarun::planner
