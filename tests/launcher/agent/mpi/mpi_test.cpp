// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/file_descriptor.h"
#include "tests/as_another_user.h"
#include "tests/launcher/agent/agent_process.h"
#include "tests/launcher/agent/mpi/mpi_job.h"

namespace adarun::launcher::agent {
namespace {

class Mpi : public testing::TestWithParam<std::vector<std::uint32_t>> {};

TEST_P(Mpi, ProgramFindsItsWorldWithoutMpirun) {
  MpiJob job(GetParam(), {MPI_PROGRAM});
  ASSERT_TRUE(job.run());
  expect_right_lines(job, GetParam());
  for (std::size_t node = 0; node < GetParam().size(); ++node) {
    const auto* ready = job.agent(node).await<protocol::Ready>();
    ASSERT_NE(ready, nullptr);
    EXPECT_EQ(ready->mpi, GetParam()[node] > 0) << ready->mpi_reason;
  }
  expect_good_ends(job, world_of(GetParam()));
  EXPECT_EQ(job.modex_requests(), 0U) << "a rank has left a fence before it had what the others publish";
  for (std::size_t node = 0; node < GetParam().size(); ++node) {
    EXPECT_EQ(job.agent(node).wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(job.start(node).scratch));
    EXPECT_FALSE(std::filesystem::exists(job.start(node).shm_folder));
  }
}

using Ranks = std::vector<std::uint32_t>;
INSTANTIATE_TEST_SUITE_P(Worlds, Mpi,
                         testing::Values(Ranks{1}, Ranks{2}, Ranks{4}, Ranks{8}, Ranks{1, 1}, Ranks{2, 2},
                                         Ranks{4, 4}, Ranks{1, 3}, Ranks{2, 0, 1}));

TEST(MpiExchange, GoesFromNodeToNodeOnDemandToo) {
  MpiJob job({2, 2}, {MPI_PROGRAM});
  // Ranks meet before they ask. With pmix_base_async_modex, a rank of Open MPI 4.1 sometimes asks for what
  // another has not published yet, and fails ("PML add procs failed"), under mpirun too.
  job.set("OMPI_MCA_pmix_base_collect_data=0");
  ASSERT_TRUE(job.run());
  expect_right_lines(job, {2, 2});
  EXPECT_GT(job.modex_requests(), 0U);
}

// Not with AddressSanitizer: it occupies the address range of the shared topology, so that each rank reads
// its own.
#ifndef __SANITIZE_ADDRESS__
TEST(MpiTopology, IsReadOnceANodeForAllItsRanks) {
  MpiJob job({2}, {MPI_PROGRAM, "topology"});
  ASSERT_TRUE(job.run());
  for (const std::uint32_t rank : {0U, 1U}) EXPECT_EQ(job.agent(0).output(rank), "topology: its server's\n");
}
#endif

TEST(MpiMaps, ReachRanksOfAJobOfThousands) {
  // A node of 512, with a single rank; the others are only in the map.
  MpiJob job({1}, {MPI_PROGRAM, "size"});
  protocol::Start& start = job.start(0);
  for (std::uint32_t node = 1; node < 512; ++node) {
    protocol::NodeRanks& each = start.nodes.emplace_back();
    each.hostname = "a-rather-long-name-of-a-node-" + std::to_string(node * 37 % 1009);
    for (std::uint32_t i = 0; i < 8; ++i) each.ranks.push_back(start.world_size++);
  }
  ASSERT_TRUE(job.run());
  EXPECT_EQ(job.agent(0).output(0), "rank 0 of 4089\n");
  EXPECT_EQ(job.all<protocol::Joined>().size(), 1U);
  EXPECT_TRUE(job.all<protocol::Exited>().at(0).mpi_connected);
  EXPECT_FALSE(job.all<protocol::Exited>().at(0).mpi_finalized) << "it left without MPI_Finalize";
}

TEST(MpiAbort, CarriesItsStatus) {
  MpiJob job({2, 2}, {MPI_PROGRAM, "7"});
  EXPECT_FALSE(job.run([&job] { return !job.all<protocol::Abort>().empty(); }));
  expect_abort_of_rank_1(job);
  EXPECT_TRUE(job.stop());
  for (std::size_t node = 0; node < 2; ++node)
    EXPECT_FALSE(std::filesystem::exists(job.start(node).shm_folder));
}

TEST(MpiCrash, LeavesNoSharedMemory) {
  MpiJob job({2}, {MPI_PROGRAM, "9"});
  EXPECT_FALSE(job.run([&job] { return !job.all<protocol::Exited>().empty(); }));
  EXPECT_FALSE(std::filesystem::is_empty(job.start(0).shm_folder))
      << "the ranks use another folder than ours";
  EXPECT_TRUE(job.stop());
  EXPECT_FALSE(std::filesystem::exists(job.start(0).shm_folder));
}

TEST(MpiName, IsNotToBeGuessedFromTheJobsId) {
  MpiJob job({2}, {MPI_PROGRAM});
  job.set("PMIX_NAMESPACE=adarun-" + job.start(0).job_id);
  ASSERT_TRUE(job.run());
  EXPECT_TRUE(job.all<protocol::Joined>().empty());
}

TEST(MpiName, NeedsASecretOfTheLauncher) {
  MpiJob job({1}, {"/bin/true"});
  job.start(0).mpi_secret = "";
  ASSERT_TRUE(job.run());
  ASSERT_EQ(job.all<protocol::Failed>().size(), 1U);
  EXPECT_NE(job.all<protocol::Failed>()[0].message.find("no secret"), std::string::npos);
}

// libpmix uses it in the names of files that ranks map.
TEST(MpiName, IsInNoPathThatOthersSee) {
  MpiJob job({2}, {});
  const std::string scratch = job.start(0).scratch;
  const std::string look =
      std::string(MPI_PROGRAM) + " > /dev/null; stat -c %a " + scratch + "; ls -R " + scratch;
  for (protocol::RankSpec& rank : job.start(0).ranks) rank.argv = {"/bin/sh", "-c", look};
  ASSERT_TRUE(job.run());
  EXPECT_TRUE(job.agent(0).output(0).starts_with("700\n" + scratch + ":\n")) << job.agent(0).output(0);
  EXPECT_EQ(scratch.find(job.start(0).mpi_secret), std::string::npos);
}

// How a connection to the port in "NAME;tcp4://127.0.0.1:PORT" ends: an exit status of as_another_user.
int end_of_silence(const std::string& uri) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(std::atoi(uri.c_str() + uri.rfind(':') + 1)));
  const base::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 2;
  pollfd ended{socket.get(), POLLIN, 0};
  char byte = 0;
  if (::poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(timeout).count())) != 1) return 3;
  return ::read(socket.get(), &byte, 1) > 0 ? 4 : 0;  // 0: at its end, or reset with unread data.
}

TEST(MpiPort, IsClosedToOtherUsersBeforeTheySaySomething) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const JobFolder folder;
  const std::string gate = (folder.path() / "gate").string();
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  MpiJob job({1},
             {"/bin/sh", "-c", "echo $PMIX_SERVER_URI4 ready; read go < " + gate + "; exec " + MPI_PROGRAM});
  std::optional<int> visit;
  const auto visit_once = [&] {
    const std::string output = job.agent(0).output(0);
    if (visit || !output.ends_with("ready\n")) return false;
    visit = test::as_another_user([&] { return end_of_silence(output.substr(0, output.find(' '))); });
    std::ofstream(gate) << "go\n";  // The port must still be open for ranks.
    return false;
  };
  ASSERT_TRUE(job.run(visit_once));
  EXPECT_EQ(visit, 0);
  EXPECT_EQ(job.all<protocol::Joined>().size(), 1U);
}

TEST(MpiConnected, IsNotSaidOfAProgramWithoutMpi) {
  MpiJob job(
      {1}, {"/bin/sh", "-c", "echo $OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_SIZE $OMPI_COMM_WORLD_LOCAL_RANK"});
  ASSERT_TRUE(job.run());
  EXPECT_EQ(job.agent(0).output(0), "0 1 0\n");
  EXPECT_FALSE(job.all<protocol::Exited>().at(0).mpi_connected);
}

TEST(PmixQuery, IsRefusedAtOnceByAServerThatAnswersNone) {
  MpiJob job({1}, {PMIX_QUERY});
  ASSERT_TRUE(job.run());
  EXPECT_EQ(job.agent(0).output(0),
            "pmix.qry.ns: refused\npmix.qry.ptable: refused\npmix.job.size: refused\n");
  EXPECT_EQ(job.all<protocol::Joined>().size(), 1U);
  EXPECT_EQ(job.all<protocol::Exited>().at(0).code, 0);
}

TEST(MpiOnANodeWithoutPmix, IsRefusedWhereItWasWanted) {
  const WithoutPmix without;
  MpiJob job({1}, {"/bin/true"});
  ASSERT_TRUE(job.run());
  const auto failed = job.all<protocol::Failed>();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_NE(failed[0].message.find("libpmix.so.2"), std::string::npos) << failed[0].message;
  EXPECT_TRUE(job.all<protocol::Started>().empty());
}

TEST(MpiOnANodeWithoutPmix, IsLeftOutWhereItWasLeftOpen) {
  const WithoutPmix without;
  MpiJob job({1}, {"/bin/echo", "ran"});
  job.start(0).mpi = protocol::Mpi::auto_;
  ASSERT_TRUE(job.run());
  const auto ready = job.all<protocol::Ready>();
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_FALSE(ready[0].mpi);
  EXPECT_NE(ready[0].mpi_reason.find("libpmix.so.2"), std::string::npos) << ready[0].mpi_reason;
  EXPECT_EQ(job.agent(0).output(0), "ran\n");
}

}  // namespace
}  // namespace adarun::launcher::agent
