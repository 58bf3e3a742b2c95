// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/collect.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "cli/jobs/job_dir.h"

namespace adarun::cli {
namespace {

using RanksAsked = std::set<std::uint32_t>;

TEST(CollectKept, AsksTheNodesOfTheJobThenThoseThatSparesHaveReplaced) {
  JobFile job;
  job.hosts = {{"a", {}, "", 0, false}, {"s", {}, "", 0, false}};
  job.ranks = {{0, "done", "a"}, {1, "done", "s"}, {2, "lost", "s"}};
  job.replaced.push_back({1, {"b", {}, "", 0, false}, {1, 2}});
  job.replaced.push_back({1, {"r", {}, "", 0, false}, {2}});
  const std::vector<launcher::AskedNode> nodes = asked_nodes(job);
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].ranks, RanksAsked{0});
  EXPECT_EQ(nodes[0].replaced, 0U);
  EXPECT_EQ(nodes[1].number, 1U);
  EXPECT_EQ(nodes[1].ranks, (RanksAsked{1, 2}));
  EXPECT_EQ(nodes[2].number, 1U);
  EXPECT_EQ(nodes[2].ranks, (RanksAsked{1, 2}));
  EXPECT_EQ(nodes[2].replaced, 1U);
  EXPECT_EQ(nodes[3].ranks, RanksAsked{2});
  EXPECT_EQ(nodes[3].replaced, 2U);
}

}  // namespace
}  // namespace adarun::cli
