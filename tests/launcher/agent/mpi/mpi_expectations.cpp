// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/agent/mpi/mpi_expectations.h"

#include <gtest/gtest.h>

#include <numeric>

namespace adarun::launcher::agent {

std::uint32_t world_of(const std::vector<std::uint32_t>& ranks_of) {
  return std::accumulate(ranks_of.begin(), ranks_of.end(), 0U);
}

void expect_right_lines(MpiJob& job, const std::vector<std::uint32_t>& ranks_of) {
  const std::uint32_t world = world_of(ranks_of);
  std::uint32_t rank = 0;
  for (std::size_t node = 0; node < ranks_of.size(); ++node)
    for (std::uint32_t i = 0; i < ranks_of[node]; ++i, ++rank) {
      EXPECT_EQ(job.agent(node).output(rank), "rank " + std::to_string(rank) + " of " +
                                                  std::to_string(world) + " sum " +
                                                  std::to_string(world * (world - 1) / 2) + "\n");
      EXPECT_EQ(job.agent(node).output(rank, protocol::Stream::err), "");
    }
}

void expect_good_ends(const MpiJob& job, std::size_t world) {
  const auto exits = job.all<protocol::Exited>();
  EXPECT_EQ(exits.size(), world);
  EXPECT_EQ(job.all<protocol::Joined>().size(), world);
  for (const protocol::Exited& exited : exits) {
    EXPECT_EQ(exited.code, 0);
    EXPECT_EQ(exited.signal, 0);
    EXPECT_TRUE(exited.mpi_connected);
    EXPECT_TRUE(exited.mpi_finalized);
  }
}

void expect_abort_of_rank_1(const MpiJob& job) {
  const auto aborts = job.all<protocol::Abort>();
  ASSERT_EQ(aborts.size(), 1U);
  EXPECT_EQ(aborts[0].rank, 1U);
  EXPECT_EQ(aborts[0].status, 7);
}

}  // namespace adarun::launcher::agent
