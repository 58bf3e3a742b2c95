// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/ranks.h"

#include <gtest/gtest.h>

#include <csignal>

#include "launcher/hosts/parse.h"

namespace adarun::launcher {
namespace {

Plan two_nodes_of_two() {
  JobOptions options;
  options.job_id = "j";
  options.argv = {"true"};
  const auto hosts = parse_host_list("n[0-1]:2");
  return make_plan(table_of(hosts), hosts, {"", ""}, options);
}

wire::Exited end_of(std::uint32_t rank, int code, int signal = 0) {
  wire::Exited exited;
  exited.rank = rank;
  exited.code = code;
  exited.signal = signal;
  return exited;
}

TEST(Ranks, BelongToOneNode) {
  const Plan plan = two_nodes_of_two();
  const Ranks ranks(plan);
  EXPECT_TRUE(ranks.has(1, 2));
  EXPECT_FALSE(ranks.has(0, 2));
  EXPECT_FALSE(ranks.has(1, 4));
}

TEST(Ranks, FailByThemselvesOrAreStopped) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  for (std::uint32_t rank = 0; rank < 4; ++rank) ranks.start({rank, 1, 0, {}});
  EXPECT_FALSE(ranks.end(end_of(0, 0), false));
  EXPECT_EQ(ranks.records()[0].state, RankState::done);
  const auto failure = ranks.end(end_of(3, 0, SIGSEGV), false);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "rank 3 on n1 (device 1) failed first: SIGSEGV (Segmentation fault)");
  EXPECT_EQ(failure->signal, SIGSEGV);
  EXPECT_FALSE(ranks.end(end_of(1, 7), true));
  EXPECT_EQ(ranks.records()[1].state, RankState::stopped);
}

TEST(Ranks, OfALostNodeAreLostUnlessTheyHadEnded) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  for (std::uint32_t rank = 0; rank < 4; ++rank) ranks.start({rank, 1, 0, {}});
  ranks.end(end_of(2, 0), false);
  ranks.lose(1);
  EXPECT_EQ(ranks.records()[1].state, RankState::running);
  EXPECT_EQ(ranks.records()[2].state, RankState::done);
  EXPECT_EQ(ranks.records()[3].state, RankState::lost);
}

}  // namespace
}  // namespace adarun::launcher
