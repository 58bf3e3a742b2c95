// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/protocol/start.h"

namespace adarun::launcher {
namespace {

JobOptions sample_options() {
  JobOptions options;
  options.argv = {"./a", "b c"};
  options.log_folder = "/logs";
  return options;
}

bool has(const std::vector<std::string>& variables, const std::string& wanted) {
  return std::find(variables.begin(), variables.end(), wanted) != variables.end();
}

TEST(Plan, GivesEachRankTheVariablesOfItsPlace) {
  const auto hosts = parse_host_list("a:2,b:1");
  const Plan plan = make_plan(table_of(hosts), hosts, {"10.0.0.1", "10.0.0.2"}, sample_options(), {"j"});
  ASSERT_EQ(plan.world_size(), 3U);
  const protocol::RankSpec& last = plan.nodes[1].start.ranks[0];
  EXPECT_EQ(last.rank, 2U);
  EXPECT_EQ(protocol::complete(last, plan.job_spec).argv, (std::vector<std::string>{"./a", "b c"}));
  for (const char* wanted : {"RANK_ID=2", "RANK_SIZE=3", "DEVICE_ID=0", "DEVICE_NUM=1", "SERVER_ID=1",
                             "RANK=2", "WORLD_SIZE=3", "LOCAL_RANK=0", "LOCAL_WORLD_SIZE=1", "GROUP_RANK=1",
                             "MASTER_ADDR=10.0.0.1", "RANK_TABLE_FILE=/tmp/adarun-j-1/rank_table.json",
                             "ADARUN_JOB_ID=j", "ADARUN_LOG_DIR=/logs", "ADARUN_RESTART_COUNT=0"})
    EXPECT_TRUE(has(last.environment, wanted)) << wanted;
}

TEST(Plan, GivesFoldersNamesThatNobodyKnowsBefore) {
  const auto hosts = parse_host_list("a:2,b:1");
  AttemptOptions attempt{"j"};
  std::set<std::string> endings;
  for (const char* secret : {"0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdee"}) {
    attempt.secret = secret;
    const Plan plan = make_plan(table_of(hosts), hosts, {"10.0.0.1", "10.0.0.2"}, sample_options(), attempt);
    EXPECT_EQ(plan.job_spec.mpi_secret, secret);
    for (const NodePlan& node : plan.nodes)
      for (const std::string& folder : {node.start.scratch, node.start.shm_folder}) {
        const std::string begin = folder.substr(0, folder.rfind('-'));
        EXPECT_TRUE(begin.ends_with("/adarun-j-" + std::to_string(node.start.node))) << folder;
        EXPECT_EQ(folder.size(), begin.size() + 17) << folder;
        endings.insert(folder.substr(begin.size()));
        EXPECT_EQ(folder.find(secret), std::string::npos);
      }
    EXPECT_TRUE(has(plan.nodes[1].start.ranks[0].environment,
                    "RANK_TABLE_FILE=" + plan.nodes[1].start.scratch + "/rank_table.json"));
  }
  EXPECT_EQ(endings.size(), 8U) << "one tells another";
}

TEST(Plan, TellsRanksWhichJobIsRunAgain) {
  const auto hosts = parse_host_list("a");
  JobOptions options = sample_options();
  AttemptOptions attempt{"j"};
  const auto variables = [&] {
    return make_plan(table_of(hosts), hosts, {""}, options, attempt).nodes[0].start.ranks[0].environment;
  };
  EXPECT_TRUE(has(variables(), "ADARUN_FIRST_JOB_ID=j"));
  attempt.earlier = {{"i", 0, {}, "a", 1, 9, ""}, {"k", 0, {}, "a", 1, 9, ""}};
  options.restarts.most = 5;
  for (const char* wanted :
       {"ADARUN_FIRST_JOB_ID=i", "ADARUN_JOB_ID=j", "ADARUN_RESTART_COUNT=2", "TORCHELASTIC_RESTART_COUNT=2",
        "TORCHELASTIC_MAX_RESTARTS=5", "TORCHELASTIC_RUN_ID=i"})
    EXPECT_TRUE(has(variables(), wanted)) << wanted;
}

TEST(Plan, TellsRanksTheNodesOfTheAttemptOnceForAll) {
  const auto hosts = parse_host_list("node[1-3]:2,b:1");
  const std::vector<std::string> addresses(4, "10.0.0.1");
  JobOptions options = sample_options();
  options.environment = {"A=1"};
  EXPECT_EQ(make_plan(table_of(hosts), hosts, addresses, options, {"j"}).job_spec.environment,
            (std::vector<std::string>{"ADARUN_ATTEMPT_NODES=node[1-3],b", "A=1"}));
}

TEST(Plan, LeavesTheNodesOwnThreadsAndWaitsAlone) {
  const auto hosts = parse_host_list("a:2,b:1");
  const Plan apart = make_plan(table_of(hosts), hosts, {"10.0.0.1", "10.0.0.2"}, sample_options(), {"j"});
  const std::string network = "OMPI_MCA_btl_tcp_if_include=10.0.0.0/30";
  const std::string shared_memory = "OMPI_MCA_shmem=mmap";
  EXPECT_EQ(apart.nodes[0].start.ranks[1].defaults,
            (std::vector<std::string>{"OMP_NUM_THREADS=1", network, shared_memory}));
  EXPECT_EQ(apart.nodes[1].start.ranks[0].defaults, (std::vector<std::string>{network, shared_memory}));
  EXPECT_FALSE(has(apart.nodes[0].start.ranks[0].environment, "OMP_NUM_THREADS=1"));
  const Plan together =
      make_plan(table_of(hosts), hosts, {"127.0.0.1", "127.0.1.1"}, sample_options(), {"j"});
  EXPECT_TRUE(has(together.nodes[1].start.ranks[0].defaults, "OMPI_MCA_mpi_yield_when_idle=1"));
}

TEST(Plan, LetsRanksOfManyNodesAskForTheirPeers) {
  for (const std::size_t nodes : {2'048U, 2'049U}) {
    const auto hosts = parse_host_list("n[1-" + std::to_string(nodes) + "]");
    const Plan plan =
        make_plan(table_of(hosts), hosts, std::vector<std::string>(nodes), sample_options(), {"j"});
    EXPECT_EQ(has(plan.nodes[0].start.ranks[0].defaults, "OMPI_MCA_pmix_base_collect_data=0"), nodes > 2'048);
  }
}

TEST(Plan, LetsTheUsersVariablesComeLast) {
  JobOptions options = sample_options();
  options.environment = {"RANK=mine"};
  const auto hosts = parse_host_list("a");
  const Plan plan = make_plan(table_of(hosts), hosts, {""}, options, {"j"});
  EXPECT_EQ(protocol::complete(plan.nodes[0].start.ranks[0], plan.job_spec).environment.back(), "RANK=mine");
}

TEST(Plan, FollowsTheTablesRanksAndNotTheOrderOfHosts) {
  ranktable::Table table = table_of(parse_host_list("a:2,b:2"));
  std::swap(table.servers[0].devices[0].rank_id, table.servers[0].devices[1].rank_id);
  const auto hosts = hosts_for(table, parse_host_list("b:2,c:2,a:2"), {});
  const Plan plan = make_plan(table, hosts, {"10.0.0.1", "10.0.0.2"}, sample_options(), {"j"});
  EXPECT_EQ(plan.nodes.size(), 2U);
  EXPECT_EQ(plan.nodes[0].host.name, "a");
  EXPECT_EQ(plan.nodes[0].start.ranks[0].rank, 0U);
  EXPECT_EQ(plan.device_of_rank, (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(plan.node_of_rank, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_TRUE(has(plan.nodes[0].start.ranks[0].environment, "MASTER_ADDR=10.0.0.1"));
}

TEST(Plan, GivesTheRanksOfALostNodeToASpare) {
  const auto on = [&](const std::string& list) {
    const auto hosts = parse_host_list(list);
    return make_plan(table_of(hosts), hosts, std::vector<std::string>(hosts.size(), "10.0.0.1"),
                     sample_options(), {"j", "s"});
  };
  Plan plan = on("a:2,b:2");
  const Plan before = plan;
  replace_node(plan, 1, on("a:2,c:2"));
  EXPECT_EQ(plan.nodes[1].host.name, "c");
  EXPECT_EQ(plan.nodes[0].start, before.nodes[0].start);
  EXPECT_EQ(plan.node_of_rank, before.node_of_rank);
  EXPECT_NE(plan.nodes[1].start.scratch, before.nodes[1].start.scratch) << "they may share a machine";
  EXPECT_TRUE(has(plan.job_spec.environment, "ADARUN_ATTEMPT_NODES=a,c"));
  EXPECT_NE(plan.rank_table().find("\"c\""), std::string::npos) << plan.rank_table();
  EXPECT_THROW(replace_node(plan, 1, on("a:2,d:1")), Error);
  ASSERT_EQ(plan.replaced.size(), 1U);
  EXPECT_EQ(plan.replaced[0].number, 1U);
  EXPECT_EQ(plan.replaced[0].host.name, "b");
  EXPECT_EQ(plan.replaced[0].ranks, (std::vector<std::uint32_t>{2, 3}));
}

TEST(Plan, RefusesATableWhoseServerIsNotInTheHostList) {
  const ranktable::Table table = table_of(parse_host_list("a:2,b:2"));
  EXPECT_THROW(hosts_for(table, parse_host_list("a:2"), {}), Error);
}

constexpr const char* three =
    "# server_id  host\nrack1-a node1\nrack1-b gpu2 user=me port=2222  # the new one\n\n10.0.0.3 node3\n";

ranktable::Table table_with(const std::string& server_id) {
  ranktable::Table table;
  table.servers = {{server_id, "", {{4, "", 0}, {5, "", 1}}}};
  return table;
}

TEST(HostMap, ReadsServersAndHowToReachTheirHosts) {
  const HostMap map = parse_host_map(three, "map");
  EXPECT_EQ(map.size(), 3U);
  EXPECT_EQ(map.at("rack1-a").name, "node1");
  EXPECT_EQ(map.at("rack1-b").name, "gpu2");
  EXPECT_EQ(map.at("rack1-b").user, "me");
  EXPECT_EQ(map.at("rack1-b").port, 2222);
}

TEST(HostMap, NamesFileAndLineOfWhatItRefuses) {
  for (const char* line : {"a", "a node[1-2]", "a node9 port=x", "rack1-a node9", "a node1"}) {
    try {
      parse_host_map(std::string("rack1-a node1\n") + line + "\n", "map.txt");
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 10), "map.txt:2:") << error.what();
    }
  }
}

TEST(HostMap, LeadsFromATableToItsHosts) {
  const HostMap map = parse_host_map(three, "map");
  EXPECT_EQ(hosts_of(table_with("rack1-b"), map), (std::vector<Host>{{"gpu2", {4, 5}, "me", 2222}}));
  EXPECT_EQ(hosts_of(table_with("10.9.9.9"), map), (std::vector<Host>{{"10.9.9.9", {4, 5}, "", 0}}));
  EXPECT_EQ(hosts_for(table_with("rack1-a"), parse_host_list("node2:2,node1:8"), map)[0].name, "node1");
  EXPECT_THROW(hosts_for(table_with("rack1-b"), parse_host_list("node1:8"), map), Error);
}

TEST(HostMap, FindsServersByTheAddressesOfHosts) {
  const std::vector<Host> list = parse_host_list("node1:8,node2:8");
  const std::vector<std::vector<std::string>> addresses{{"10.0.0.1", "fd00::1"}, {"10.0.0.2"}};
  EXPECT_FALSE(names_all(list, table_with("fd00::1"), {}));
  const HostMap map = with_addresses({}, table_with("fd00::1"), list, addresses);
  EXPECT_TRUE(names_all(list, table_with("fd00::1"), map));
  EXPECT_EQ(hosts_for(table_with("fd00::1"), list, map)[0].name, "node1");
  const HostMap mapped = with_addresses({{"10.0.0.1", list[1]}}, table_with("10.0.0.1"), list, addresses);
  EXPECT_EQ(hosts_for(table_with("10.0.0.1"), list, mapped)[0].name, "node2") << "--map comes first";
  EXPECT_TRUE(with_addresses({}, table_with("10.0.0.3"), list, addresses).empty());
}

TEST(HostMap, FindsAServerByItsNameWithOrWithoutTheDomain) {
  const std::vector<Host> list = parse_host_list("node1:8,node2.b:8,node3.a:8,node3.b:8");
  const std::vector<std::vector<std::string>> addresses(4);
  const auto host_of = [&](const std::string& server_id) {
    const HostMap map = with_addresses({}, table_with(server_id), list, addresses);
    return map.empty() ? "" : map.begin()->second.name;
  };
  EXPECT_EQ(host_of("node1.a"), "node1");
  EXPECT_EQ(host_of("node2"), "node2.b");
  EXPECT_EQ(host_of("node3"), "") << "two hosts";
  EXPECT_EQ(host_of("node2.a"), "") << "another domain";
  EXPECT_EQ(host_of("10"), "");
}

// Each would get an agent of its own there, and each device two ranks.
TEST(HostMap, RefusesTwoServersOfOneHost) {
  const std::vector<Host> list = parse_host_list("node1:8,node2:8");
  ranktable::Table table;
  table.servers = {
      {"10.0.0.1", "", {{0, "", 0}}}, {"node2", "", {{0, "", 1}}}, {"fd00::1", "", {{0, "", 2}}}};
  const HostMap map = with_addresses({}, table, list, {{"10.0.0.1", "fd00::1"}, {"10.0.0.2"}});
  try {
    hosts_for(table, list, map);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "rank table: server_id \"10.0.0.1\" and server_id \"fd00::1\" are both host \"node1\": wanted "
        "one for each host");
  }
  table.servers.pop_back();
  EXPECT_EQ(hosts_for(table, list, map).size(), 2U);
}

}  // namespace
}  // namespace adarun::launcher
