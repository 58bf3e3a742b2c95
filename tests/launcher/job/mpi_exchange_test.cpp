// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/mpi_exchange.h"

#include <gtest/gtest.h>

#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

const std::vector<std::uint32_t> four_ranks_on_two_nodes{0, 0, 1, 1};

TEST(Fences, GiveEveryNodeTheSameBytesOnceAllHaveEntered) {
  Fences fences(four_ranks_on_two_nodes);
  EXPECT_FALSE(fences.enter(1, {{}, "b"}));
  const auto complete = fences.enter(0, {{}, "a"});
  ASSERT_TRUE(complete);
  EXPECT_EQ(complete->message.data, "ab");
  EXPECT_EQ(complete->nodes, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Fences, KeepTheOrderOfOneNodesFences) {
  Fences fences(four_ranks_on_two_nodes);
  EXPECT_FALSE(fences.enter(0, {{}, "first"}));
  EXPECT_FALSE(fences.enter(0, {{}, "second"}));
  EXPECT_EQ(fences.enter(1, {{}, "-"})->message.data, "first-");
  EXPECT_EQ(fences.enter(1, {{}, "+"})->message.data, "second+");
}

TEST(Fences, OfTwoServicesKnowNothingOfEachOther) {
  Fences fences(four_ranks_on_two_nodes);
  EXPECT_FALSE(fences.enter(0, {{}, "a", protocol::Service::pmix}));
  EXPECT_FALSE(fences.enter(1, {{}, "b", protocol::Service::pmi}));
  const auto pmi = fences.enter(0, {{}, "c", protocol::Service::pmi});
  ASSERT_TRUE(pmi);
  EXPECT_EQ(pmi->message, (protocol::FenceDone{{}, "cb", protocol::Service::pmi}));
  const auto pmix = fences.enter(1, {{}, "d", protocol::Service::pmix});
  ASSERT_TRUE(pmix);
  EXPECT_EQ(pmix->message, (protocol::FenceDone{{}, "ad", protocol::Service::pmix}));
}

TEST(Fences, OfSomeRanksConcernTheirNodesOnly) {
  Fences fences(four_ranks_on_two_nodes);
  const auto complete = fences.enter(1, {{3, 2}, "x"});
  ASSERT_TRUE(complete);
  EXPECT_EQ(complete->nodes, std::vector<std::uint32_t>{1});
  EXPECT_EQ(complete->message.participants, (std::vector<std::uint32_t>{3, 2}));
  EXPECT_FALSE(fences.enter(0, {{1, 2}, "y"}));
  EXPECT_THROW(fences.enter(0, {{3}, "not its rank"}), protocol::Error);
  EXPECT_EQ(fences.enter(1, {{3}, "z"})->message.data, "z");
}

TEST(Fences, RefuseRanksThatAreNotThere) {
  Fences fences(four_ranks_on_two_nodes);
  EXPECT_THROW(fences.enter(0, {{0, 4}, "x"}), protocol::Error);
  EXPECT_THROW(fences.enter(0, {{0, 1, 2, 3, 3}, "x"}), protocol::Error);
}

TEST(Fences, BoundWhatOneNodeLeavesWaiting) {
  Fences many(four_ranks_on_two_nodes);
  for (std::size_t i = 0; i < Fences::most_waiting; ++i) EXPECT_FALSE(many.enter(0, {{}, ""}));
  EXPECT_THROW(many.enter(0, {{}, ""}), protocol::Error);

  Fences large(four_ranks_on_two_nodes);
  const std::string half(Fences::most_waiting_bytes / 2, 'x');
  EXPECT_FALSE(large.enter(0, {{}, half}));
  EXPECT_FALSE(large.enter(0, {{}, half}));
  EXPECT_THROW(large.enter(0, {{}, "x"}), protocol::Error);
}

TEST(Fences, LetANodeGoOnForAsLongAsTheOthersDo) {
  Fences fences(four_ranks_on_two_nodes);
  const std::string half(Fences::most_waiting_bytes / 2, 'x');
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(fences.enter(0, {{0, 1, 2, 3}, half}));
    EXPECT_TRUE(fences.enter(1, {{3, 2, 1, 0}, ""}));
  }
  for (std::size_t i = 0; i < 2 * Fences::most_waiting; ++i) {
    EXPECT_FALSE(fences.enter(1, {{}, ""}));
    EXPECT_TRUE(fences.enter(0, {{}, ""}));
  }
}

}  // namespace
}  // namespace adarun::launcher
