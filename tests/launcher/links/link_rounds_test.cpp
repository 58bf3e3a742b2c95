// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_rounds.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace adarun::launcher {
namespace {

class RoundsOfNodes : public testing::TestWithParam<std::size_t> {};

TEST_P(RoundsOfNodes, LetEachMeetEachOtherOnce) {
  const std::size_t nodes = GetParam();
  std::set<std::pair<std::size_t, std::size_t>> met;
  for (std::size_t round = 0; round < rounds_of(nodes); ++round) {
    for (std::size_t node = 0; node < nodes; ++node) {
      const auto other = partner_of(node, round, nodes);
      if (!other) continue;
      EXPECT_NE(*other, node);
      EXPECT_EQ(partner_of(*other, round, nodes), node);
      EXPECT_TRUE(met.emplace(node, *other).second) << node << " and " << *other << " meet twice";
    }
  }
  EXPECT_EQ(met.size(), nodes * (nodes - 1));
}

INSTANTIATE_TEST_SUITE_P(Some, RoundsOfNodes, testing::Values(1, 2, 3, 4, 5, 8, 9, 16, 31, 64));

TEST(Rounds, AreAsFewAsCanBe) {
  EXPECT_EQ(rounds_of(0), 0U);
  EXPECT_EQ(rounds_of(1), 0U);
  EXPECT_EQ(rounds_of(2), 1U);
  EXPECT_EQ(rounds_of(3), 3U);
  EXPECT_EQ(rounds_of(256), 255U);
}

}  // namespace
}  // namespace adarun::launcher
