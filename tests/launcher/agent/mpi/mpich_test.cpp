// SPDX-License-Identifier: Apache-2.0
// MPICH's programs, which ask for their world by PMI-1.
#include <gtest/gtest.h>

#include "tests/launcher/agent/mpi/mpi_job.h"

namespace adarun::launcher::agent {
namespace {

using Ranks = std::vector<std::uint32_t>;

class MpichAlone : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(MPICH_PROGRAM).empty()) GTEST_SKIP() << "built without mpich";
  }
};

/// In a number of worlds.
class Mpich : public MpichAlone, public testing::WithParamInterface<Ranks> {};

TEST_P(Mpich, ProgramFindsItsWorldWithoutMpiexec) {
  MpiJob job(GetParam(), {MPICH_PROGRAM});
  ASSERT_TRUE(job.run());
  expect_right_lines(job, GetParam());
  expect_good_ends(job, world_of(GetParam()));
  for (std::size_t node = 0; node < GetParam().size(); ++node) EXPECT_EQ(job.agent(node).wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Mpich,
                         testing::Values(Ranks{1}, Ranks{2}, Ranks{4}, Ranks{1, 1}, Ranks{2, 2}, Ranks{1, 3},
                                         Ranks{2, 0, 1}));

TEST_F(MpichAlone, AbortCarriesItsStatus) {
  MpiJob job({2, 2}, {MPICH_PROGRAM, "7"});
  EXPECT_FALSE(job.run([&job] { return !job.all<protocol::Abort>().empty(); }));
  expect_abort_of_rank_1(job);
  EXPECT_TRUE(job.stop());
}

TEST_F(MpichAlone, RankThatLeavesWithoutFinalizeIsKnown) {
  MpiJob job({1}, {MPICH_PROGRAM, "size"});
  ASSERT_TRUE(job.run());
  EXPECT_EQ(job.agent(0).output(0), "rank 0 of 1\n");
  EXPECT_TRUE(job.all<protocol::Exited>().at(0).mpi_connected);
  EXPECT_FALSE(job.all<protocol::Exited>().at(0).mpi_finalized);
}

TEST_F(MpichAlone, NeedsNoLibpmixOnTheNode) {
  const WithoutPmix without;
  MpiJob job({2, 1}, {MPICH_PROGRAM});
  for (std::size_t node = 0; node < 2; ++node) job.start(node).mpi = protocol::Mpi::auto_;
  ASSERT_TRUE(job.run());
  expect_right_lines(job, {2, 1});
  expect_good_ends(job, 3);
  for (const protocol::Ready& ready : job.all<protocol::Ready>()) {
    EXPECT_FALSE(ready.mpi);
    EXPECT_TRUE(ready.pmi);
  }
}

TEST(PmiSocket, IsOfItsOwnRankAloneAndHarmsNoOtherProgram) {
  MpiJob job({2}, {"/bin/sh", "-c",
                   "echo $PMI_RANK $PMI_SIZE $MPI_LOCALRANKID $MPI_LOCALNRANKS; "
                   "for fd in /proc/self/fd/*; do [ -S $fd ] && echo ${fd##*/} = $PMI_FD; done; true"});
  ASSERT_TRUE(job.run());
  for (const std::uint32_t rank : {0U, 1U}) {
    const std::string output = job.agent(0).output(rank);
    const std::string first = std::to_string(rank) + " 2 " + std::to_string(rank) + " 2\n";
    ASSERT_EQ(output.substr(0, first.size()), first);
    const std::string rest = output.substr(first.size());
    const std::size_t equals = rest.find(" = ");
    ASSERT_NE(equals, std::string::npos) << rest;
    EXPECT_EQ(rest, rest.substr(0, equals) + " = " + rest.substr(0, equals) + "\n")
        << "one socket, and that one";
  }
  for (const protocol::Exited& exited : job.all<protocol::Exited>()) {
    EXPECT_EQ(exited.code, 0);
    EXPECT_FALSE(exited.mpi_connected);
  }
}

TEST(PmiSocket, IsNotGivenWhereMpiIsOff) {
  MpiJob job({1}, {"/bin/sh", "-c", "echo ${PMI_FD-none}; ls /proc/self/fd | wc -l"});
  job.start(0).mpi = protocol::Mpi::off;
  ASSERT_TRUE(job.run());
  EXPECT_EQ(job.agent(0).output(0), "none\n4\n");
}

}  // namespace
}  // namespace adarun::launcher::agent
