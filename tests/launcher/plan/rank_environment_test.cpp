// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/rank_environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {
namespace {

// Two servers by address, ranks from the second server's last device to the first one's first.
ranktable::Table reversed_table() {
  ranktable::Table table = table_of(parse_host_list("10.0.0.1:2,10.0.0.2:3"));
  int rank = 4;
  for (ranktable::Server& server : table.servers)
    for (ranktable::Device& device : server.devices) device.rank_id = rank--;
  return table;
}

bool is_of_a_job(const std::string& variable) {
  return variable.rfind("ADARUN_", 0) == 0 || variable.rfind("TORCHELASTIC_", 0) == 0 ||
         variable.rfind("RANK_TABLE_FILE=", 0) == 0 || variable.rfind("MASTER_PORT=", 0) == 0;
}

std::vector<std::string> without_job(std::vector<std::string> variables) {
  variables.erase(std::remove_if(variables.begin(), variables.end(), is_of_a_job), variables.end());
  return variables;
}

TEST(CommonNetwork, IsTheSmallestThatHoldsAllAddresses) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"10.77.0.2", "10.77.0.3"}, "10.77.0.2/31"},
      {{"10.77.0.2", "10.77.0.3", "10.77.0.4"}, "10.77.0.0/29"},
      {{"10.1.2.3"}, "10.1.2.3/32"},
      {{"127.0.1.1", "127.0.1.2"}, "127.0.0.0/8"},
      {{}, ""},
      {{"10.0.0.1", ""}, ""},
      {{"127.0.0.1", "10.0.0.1"}, ""},  // Nobody else is reached at a loopback address.
      {{"10.0.0.1", "fe80::1"}, ""},
      {{"10.0.0.1", "192.168.0.1"}, ""},
  };
  for (const auto& [addresses, network] : cases) EXPECT_EQ(common_network(addresses), network);
}

TEST(RankEnvironments, IsWhatAPlanGivesTheSameRanks) {
  const ranktable::Table table = reversed_table();
  JobOptions options;
  options.argv = {"a"};
  const Plan plan = make_plan(table, hosts_of(table, {}), {"10.0.0.1", "10.0.0.2"}, options, {"j"});
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const std::vector<protocol::RankSpec>& planned = plan.nodes[node].start.ranks;
    const std::vector<RankEnvironment> ranks = RankEnvironments(table).of_node(node, "/t.json");
    ASSERT_EQ(ranks.size(), planned.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_EQ(static_cast<std::uint32_t>(ranks[i].row.rank), planned[i].rank);
      EXPECT_EQ(without_job(ranks[i].variables), without_job(planned[i].environment));
      EXPECT_EQ(ranks[i].defaults, planned[i].defaults);
    }
  }
}

TEST(RankEnvironments, NamesTheTableAndNothingOfAJob) {
  const std::vector<std::string> variables =
      RankEnvironments(reversed_table()).of_node(1, "/t.json").front().variables;
  EXPECT_EQ(std::count(variables.begin(), variables.end(), "RANK_TABLE_FILE=/t.json"), 1);
  for (const std::string& variable : variables) EXPECT_NE(variable.rfind("ADARUN_", 0), 0U) << variable;
}

// HCCL would refuse a server_group table in RANK_TABLE_FILE.
TEST(RankEnvironments, NamesATableOfServerGroupsAsTheProgramsThatReadIt) {
  EXPECT_EQ(table_variable(ranktable::Table()), "RANK_TABLE_FILE");
  EXPECT_EQ(table_variable(ranktable::ServerGroupTable()), "GLOBAL_RANK_TABLE_FILE_PATH");
  AttemptOptions attempt;
  attempt.table_variable = "GLOBAL_RANK_TABLE_FILE_PATH";
  const std::vector<std::string> variables =
      RankEnvironments(reversed_table(), {"10.0.0.1", "10.0.0.2"}, {}, attempt)
          .of_node(0, "/t")
          .front()
          .variables;
  EXPECT_EQ(std::ranges::count(variables, "GLOBAL_RANK_TABLE_FILE_PATH=/t"), 1);
  for (const std::string& variable : variables) EXPECT_NE(variable.rfind("RANK_TABLE_FILE=", 0), 0U);
}

TEST(RankEnvironments, ShowsARankItsOwnDeviceWhereThatIsAskedFor) {
  JobOptions options;
  options.visible_devices = VisibleDevices::cuda;
  const ranktable::Table table = table_of(parse_host_list("a:4-5"));
  const std::vector<RankEnvironment> ranks =
      RankEnvironments(table, {"10.0.0.1"}, options, {}).of_node(0, "/t");
  for (std::size_t i = 0; i < ranks.size(); ++i)
    EXPECT_EQ(std::ranges::count(ranks[i].variables, "CUDA_VISIBLE_DEVICES=" + std::to_string(4 + i)), 1);
}

TEST(RankEnvironments, HasTheSameMasterOnEveryNode) {
  const auto master = [](std::size_t node) {
    const std::vector<RankEnvironment> ranks = RankEnvironments(reversed_table()).of_node(node, "/t.json");
    std::vector<std::string> found;
    for (const std::string& variable : ranks.front().variables)
      if (variable.rfind("MASTER_", 0) == 0) found.push_back(variable);
    return found;
  };
  EXPECT_EQ(master(0).size(), 2U);
  EXPECT_EQ(master(0).front(), "MASTER_ADDR=10.0.0.2") << "which has rank 0";
  EXPECT_EQ(master(0), master(1));
}

TEST(RankEnvironments, AreNoneOfATableWithoutDevices) {
  EXPECT_THROW(RankEnvironments(ranktable::Table{}), Error);
  EXPECT_THROW(RankEnvironments(ranktable::Table{}, {}, JobOptions{}, {}), Error);
}

}  // namespace
}  // namespace adarun::launcher
