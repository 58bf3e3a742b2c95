// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/mpi_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace adarun::launcher::agent {
namespace {

using protocol::Service;

/// A server that records the calls that it gets.
class FakeServer : public MpiServer {
 public:
  FakeServer(Service service, std::string variable) : service_(service), variable_(std::move(variable)) {}

  RankStart admit(std::uint32_t /*rank*/, std::uint32_t /*restarts*/) override {
    return {{variable_}, base::FileDescriptor(service_ == Service::pmi ? ::open("/dev/null", O_RDONLY) : -1)};
  }
  void watch(Poll& /*poll*/) override {}
  std::vector<protocol::Message> collect() override { return {protocol::Joined{rank_joined}}; }
  bool has_connected(std::uint32_t rank) const override { return connected.count(rank) != 0; }
  bool has_finalized(std::uint32_t rank) const override { return finalized.count(rank) != 0; }
  void take(const protocol::Message& message) override { taken.push_back(message); }

  std::set<std::uint32_t> connected;
  std::set<std::uint32_t> finalized;
  std::uint32_t rank_joined = 0;
  std::vector<protocol::Message> taken;

 private:
  Service service_;
  std::string variable_;
};

/// Two servers, as in a job where libpmix is installed.
class MpiServersOfAJob : public testing::Test {
 protected:
  MpiServersOfAJob() {
    auto first = std::make_unique<FakeServer>(Service::pmix, "PMIX_RANK=1");
    auto second = std::make_unique<FakeServer>(Service::pmi, "PMI_RANK=1");
    pmix_ = first.get();
    pmi_ = second.get();
    servers_.add(std::move(first));
    servers_.add(std::move(second));
  }

  protocol::Exited exited(std::uint32_t rank) const {
    protocol::Exited result;
    result.rank = rank;
    servers_.add_outcome(result);
    return result;
  }

  MpiServers servers_;
  FakeServer* pmix_ = nullptr;
  FakeServer* pmi_ = nullptr;
};

TEST_F(MpiServersOfAJob, GiveARankWhatEachOfThemGives) {
  const MpiServer::RankStart start = servers_.admit(1, 0);
  EXPECT_EQ(start.environment, (std::vector<std::string>{"PMIX_RANK=1", "PMI_RANK=1"}));
  EXPECT_TRUE(start.socket);
}

TEST_F(MpiServersOfAJob, GiveTheirMessagesInTheOrderOfTheServers) {
  pmix_->rank_joined = 4;
  pmi_->rank_joined = 5;
  EXPECT_EQ(servers_.collect(), (std::vector<protocol::Message>{protocol::Joined{4}, protocol::Joined{5}}));
}

TEST_F(MpiServersOfAJob, TellARankFinalizedThatHasFinalizedWithEachServerItConnectedTo) {
  pmix_->connected = {1, 2, 3, 4};
  pmix_->finalized = {2, 3, 4};
  pmi_->connected = {3, 4};
  pmi_->finalized = {4};
  EXPECT_FALSE(exited(0).mpi_connected);
  EXPECT_FALSE(exited(0).mpi_finalized);
  EXPECT_TRUE(exited(1).mpi_connected);
  EXPECT_FALSE(exited(1).mpi_finalized);
  EXPECT_TRUE(exited(2).mpi_finalized);
  EXPECT_TRUE(exited(3).mpi_connected);
  EXPECT_FALSE(exited(3).mpi_finalized);
  EXPECT_TRUE(exited(4).mpi_finalized);
}

TEST_F(MpiServersOfAJob, AreEachGivenWhatTheLauncherSendsForOne) {
  const protocol::Message done = protocol::FenceDone{{}, "", Service::pmi};
  EXPECT_TRUE(servers_.take(done));
  EXPECT_FALSE(servers_.take(protocol::Ping{1}));
  for (const FakeServer* server : {pmix_, pmi_}) EXPECT_EQ(server->taken.front(), done);
}

TEST(MpiServers, AreNoneForAJobWithoutMpi) {
  MpiServers servers;
  EXPECT_TRUE(servers.admit(0, 0).environment.empty());
  EXPECT_FALSE(servers.admit(0, 0).socket);
  EXPECT_TRUE(servers.collect().empty());
  protocol::Exited exited;
  servers.add_outcome(exited);
  EXPECT_FALSE(exited.mpi_connected);
}

}  // namespace
}  // namespace adarun::launcher::agent
