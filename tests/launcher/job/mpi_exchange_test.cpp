// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/mpi_exchange.h"

#include "tests/launcher/job/job_harness.h"

namespace adarun::launcher {
namespace {

using protocol::Service;

const char* const too_many = ": its agent sent an invalid message: more fences than may wait for other nodes";

/// Of two nodes with two ranks each.
class FencesTest : public JobTest {
 protected:
  FencesTest() { start_all(); }

  // What a node is told when another one enters a fence: "0 1: ab", the nodes and the data; empty: nothing.
  std::string enter(std::uint32_t node, const protocol::Fence& fence) {
    hear(node, fence);
    std::string told;
    for (const Outgoing& out : job_.take_outgoing())
      if (const auto* done = std::get_if<protocol::FenceDone>(&out.message)) {
        for (const std::uint32_t each : out.nodes) told += std::to_string(each) + " ";
        EXPECT_EQ(done->participants, fence.participants);
        EXPECT_EQ(done->service, fence.service);
        told += done->data;
      }
    return told;
  }
};

TEST_F(FencesTest, GiveEveryNodeTheSameBytesInTheOrderOfEachOnceAllHaveEntered) {
  EXPECT_EQ(enter(1, {{}, "b"}), "");
  EXPECT_EQ(enter(0, {{}, "a"}), "0 1 ab");
  EXPECT_EQ(enter(0, {{}, "first"}), "");
  EXPECT_EQ(enter(0, {{}, "second"}), "");
  EXPECT_EQ(enter(1, {{}, "-"}), "0 1 first-");
  EXPECT_EQ(enter(1, {{}, "+"}), "0 1 second+");
}

TEST_F(FencesTest, OfTwoServicesKnowNothingOfEachOther) {
  EXPECT_EQ(enter(0, {{}, "a", Service::pmix}), "");
  EXPECT_EQ(enter(1, {{}, "b", Service::pmi}), "");
  EXPECT_EQ(enter(0, {{}, "c", Service::pmi}), "0 1 cb");
  EXPECT_EQ(enter(1, {{}, "d", Service::pmix}), "0 1 ad");
}

TEST_F(FencesTest, OfSomeRanksConcernTheirNodesOnly) {
  EXPECT_EQ(enter(1, {{3, 2}, "x"}), "1 x");
  EXPECT_EQ(enter(0, {{1, 2}, "y"}), "");
  EXPECT_EQ(enter(1, {{3}, "z"}), "1 z");
}

TEST_F(FencesTest, BoundHowManyANodeLeavesWaiting) {
  for (std::size_t i = 0; i < MpiExchange::most_waiting; ++i) EXPECT_EQ(enter(0, {{}, ""}), "");
  EXPECT_EQ(failure(), "");
  enter(0, {{}, ""});
  EXPECT_EQ(failure(), std::string("n0") + too_many);
}

TEST_F(FencesTest, BoundHowManyBytesANodeLeavesWaiting) {
  const std::string half(MpiExchange::most_waiting_bytes / 2, 'x');
  for (int i = 0; i < 2; ++i) EXPECT_EQ(enter(0, {{}, half}), "");
  EXPECT_EQ(failure(), "");
  enter(0, {{}, "x"});
  EXPECT_EQ(failure(), std::string("n0") + too_many);
}

TEST_F(FencesTest, LetANodeGoOnForAsLongAsTheOthersDo) {
  const std::string half(MpiExchange::most_waiting_bytes / 2, 'x');
  for (std::size_t i = 0; i < 3; ++i) {
    hear(0, protocol::Fence{{0, 1, 2, 3}, half});
    hear(1, protocol::Fence{{3, 2, 1, 0}, ""});
    EXPECT_EQ(nodes_told<protocol::FenceDone>(), 2U);
  }
  for (std::size_t i = 0; i < 2 * MpiExchange::most_waiting; ++i) {
    EXPECT_EQ(enter(1, {{}, ""}), "");
    EXPECT_EQ(enter(0, {{}, ""}), "0 1 ");
  }
}

}  // namespace
}  // namespace adarun::launcher
