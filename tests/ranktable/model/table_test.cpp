// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/table.h"

#include <gtest/gtest.h>

#include <utility>

namespace adarun::ranktable {
namespace {

TEST(Rows, SayWhereEachRankRuns) {
  Table table;
  table.version = "1.2";
  table.servers = {{"s0", "", {{0, "10.0.0.1", 0, "1"}, {1, "10.0.0.2", 1, "2"}}},
                   {"s1", "", {{0, "10.0.0.3", 2, "3"}, {1, "fe80::4", 3, "4"}}}};
  table.super_pods = {{"a", {{"s0"}, {"s1"}}}};
  std::swap(table.servers[0].devices[0].rank_id, table.servers[1].devices[1].rank_id);
  const std::vector<Row> wanted = {{0, 1, "s1", 0, 1, "fe80::4", "a", "4"},
                                   {1, 0, "s0", 0, 1, "10.0.0.2", "a", "2"},
                                   {2, 1, "s1", 1, 0, "10.0.0.3", "a", "3"},
                                   {3, 0, "s0", 1, 0, "10.0.0.1", "a", "1"}};
  EXPECT_EQ(rows(table), wanted);
  table.super_pods.clear();
  EXPECT_EQ(rows(table).front().super_pod_id, "");
}

}  // namespace
}  // namespace adarun::ranktable
