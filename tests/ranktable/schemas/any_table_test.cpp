// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/any_table.h"

#include <gtest/gtest.h>

#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

CloudTable cloud(std::vector<CloudInstance> instances) {
  CloudTable table;
  table.groups = {{"group0", std::move(instances)}};
  return table;
}

// A rank on layer 0 as `server_id`, and on `layers` too.
RankEntry rank_entry(int rank_id, int device_id, const std::string& server_id,
                     std::vector<NetLayer> layers = {}) {
  layers.insert(layers.begin(), NetLayer{0, server_id, {}, {}, {}});
  return {rank_id, device_id, device_id, {}, {}, std::move(layers)};
}

NetLayer layer(int number, const std::string& instance, std::vector<RankAddress> addresses = {}) {
  return {number, instance, {}, {}, std::move(addresses)};
}

TEST(RanksOf, IsTheTableItselfForVersion1) {
  Table table = two_cards_table();
  table.extras = {{"comment", "1"}};
  EXPECT_EQ(ranks_of(table), table);
}

TEST(RanksOf, RanksACloudTableByServerIdInByteOrderThenByDevice) {
  const Table table = ranks_of(cloud({{"a", "10.0.0.2", {{1, "192.168.2.1"}, {0, "192.168.2.0"}}},
                                      {"b", "10.0.0.10", {{0, "192.168.10.0"}, {1, "192.168.10.1"}}}}));
  Table wanted;
  wanted.servers = {{"10.0.0.10", "", {{0, "192.168.10.0", 0}, {1, "192.168.10.1", 1}}},
                    {"10.0.0.2", "", {{0, "192.168.2.0", 2}, {1, "192.168.2.1", 3}}}};
  EXPECT_EQ(table, wanted);
}

TEST(RanksOf, RanksThePodsOfAllGroupsTogether) {
  CloudTable source = cloud({{"a", "s1", {{2, ""}, {0, ""}}}});
  source.groups.push_back({"group1", {{"b", "s0", {{7, ""}}}, {"c", "s1", {{1, ""}}}}});
  source.status = "initializing";
  Table wanted;
  wanted.status = "initializing";
  wanted.servers = {{"s0", "", {{7, "", 0}}}, {"s1", "", {{0, "", 1}, {1, "", 2}, {2, "", 3}}}};
  EXPECT_EQ(ranks_of(source), wanted);
}

TEST(RanksOf, ComparesServerIdsAsUnsignedBytes) {
  const Table table = ranks_of(cloud({{"a", "\xC3\xA9", {{0, ""}}}, {"b", "z", {{0, ""}}}}));
  EXPECT_EQ(table.servers.at(0).server_id, "z");
}

TEST(RanksOf, TakesTheRanksOfALabTableAsTheyStand) {
  LabTable source;
  source.groups = {{"", {{{0, "192.168.0.1"}, 2, "b"}, {{1, "192.168.0.2"}, 0, "a"}}},
                   {"g1", {{{4, "192.168.0.3"}, 1, "b"}}}};
  Table wanted;
  wanted.servers = {{"b", "", {{0, "192.168.0.1", 2}, {4, "192.168.0.3", 1}}},
                    {"a", "", {{1, "192.168.0.2", 0}}}};
  EXPECT_EQ(ranks_of(source), wanted);
}

TEST(RanksOf, TakesTheInstancesOfLayer0AsServers) {
  RankListTable source;
  source.ranks = {rank_entry(0, 3, "s0"), rank_entry(2, 0, "s1"), rank_entry(1, 4, "s0")};
  source.ranks[1].device_port = 16666;
  source.ranks[1].host_port = 16667;
  Table wanted;
  wanted.servers = {{"s0", "", {{3, "", 0}, {4, "", 1}}}, {"s1", "", {{0, "", 2}}}};
  wanted.servers[1].devices[0].extras = {{"device_port", "\"16666\""}, {"host_port", "\"16667\""}};
  EXPECT_EQ(ranks_of(source), wanted);
}

TEST(RanksOf, TakesTheIpAddressOfTheHighestLayerAndNoEid) {
  const RankAddress eid{"EID", "000000000000002000100000df001001", {"0/0"}};
  RankListTable source;
  source.ranks = {
      rank_entry(0, 0, "s",
                 {layer(2, "c", {{"IPV4", "10.2.0.1", {"0/8"}}}),
                  layer(3, "c", {eid, {"IPV6", "fd00::1", {}}, {"IPV4", "10.3.0.1", {}}})}),
      rank_entry(1, 1, "s", {layer(2, "c", {{"IPV4", "10.2.0.2", {"0/8"}}}), layer(3, "c", {eid})}),
      rank_entry(2, 2, "s", {layer(1, "c", {eid})})};
  const Table table = ranks_of(source);
  EXPECT_EQ(table.servers.at(0).devices.at(0).device_ip, "fd00::1");
  EXPECT_EQ(table.servers.at(0).devices.at(1).device_ip, "10.2.0.2");
  EXPECT_EQ(table.servers.at(0).devices.at(2).device_ip, "");
}

TEST(RanksOf, TakesTheInstancesOfLayer1AsSuperPods) {
  RankListTable source;
  source.ranks = {rank_entry(0, 0, "s0", {layer(1, "pod1")}), rank_entry(1, 1, "s0", {layer(1, "pod1")}),
                  rank_entry(2, 0, "s1", {layer(1, "pod0")}), rank_entry(3, 0, "s2", {layer(1, "pod1")})};
  const Table table = ranks_of(source);
  EXPECT_EQ(table.version, "1.2");
  const std::vector<SuperPod> wanted = {{"pod1", {{"s0"}, {"s2"}}}, {"pod0", {{"s1"}}}};
  EXPECT_EQ(table.super_pods, wanted);
}

TEST(RanksOf, SeesNoSuperPodsWhereLayer1DoesNotHoldWholeServers) {
  RankListTable torn;
  torn.ranks = {rank_entry(0, 0, "s0", {layer(1, "pod0")}), rank_entry(1, 1, "s0", {layer(1, "pod1")})};
  RankListTable partial;
  partial.ranks = {rank_entry(0, 0, "s0", {layer(1, "pod0")}), rank_entry(1, 1, "s1")};
  for (const RankListTable& source : {torn, partial, RankListTable{}}) {
    EXPECT_EQ(ranks_of(source).version, "1.0");
    EXPECT_TRUE(ranks_of(source).super_pods.empty());
  }
}

TEST(RanksOf, RefusesARankThatIsOnNoServer) {
  RankListTable source;
  source.ranks = {rank_entry(0, 0, "s0"), {1, 1, 1, {}, {}, {layer(1, "pod0")}}};
  EXPECT_EQ(error_of([&] { ranks_of(source); }),
            "$.rank_list[1].level_list: no net_layer 0, wanted one: it says which server the rank is on");
}

GroupServer group_server(const std::string& id, std::vector<std::pair<int, int>> devices_and_ranks) {
  GroupServer server{id, id};
  for (const auto& [device, rank] : devices_and_ranks) server.devices.push_back({device, "", rank});
  return server;
}

ServerGroup group_of_servers(const std::string& id, std::vector<GroupServer> servers) {
  ServerGroup group;
  group.group_id = id;
  group.servers = std::move(servers);
  return group;
}

// The first group numbers its ranks throughout, the last in each server anew.
TEST(RanksOf, NumbersTheGroupsOfATableOneAfterTheOther) {
  ServerGroupTable source;
  source.groups = {
      group_of_servers("2", {group_server("s0", {{0, 2}, {1, 0}}), group_server("s1", {{0, 1}})}),
      group_of_servers("0", {GroupServer{"", "10.0.0.9"}}),
      group_of_servers("1", {group_server("s1", {{3, 1}, {2, 0}}), group_server("s2", {{0, 0}})})};
  Table wanted;
  wanted.servers = {{"s0", "", {{0, "", 2}, {1, "", 0}}},
                    {"s1", "", {{0, "", 1}, {3, "", 4}, {2, "", 3}}},
                    {"s2", "", {{0, "", 5}}}};
  EXPECT_EQ(ranks_of(source), wanted);
  EXPECT_EQ(server_count(source), 3U);
  std::vector<std::pair<std::string, int>> places;
  for (const GroupRank& place : group_ranks_of(source)) places.emplace_back(place.group_id, place.rank);
  const std::vector<std::pair<std::string, int>> wanted_places = {{"2", 0}, {"2", 1}, {"2", 2},
                                                                  {"1", 0}, {"1", 1}, {"1", 2}};
  EXPECT_EQ(places, wanted_places);
}

TEST(RanksOf, TakesWhatTheFirstEntryOfAServerHasAndThePodsOfAllGroups) {
  ServerGroupTable source;
  source.groups = {group_of_servers("1", {group_server("s0", {{0, 0}})}),
                   group_of_servers("2", {group_server("s0", {{1, 0}}), group_server("s1", {{0, 1}})})};
  source.groups[0].servers[0].server_ip = "10.0.0.1";
  source.groups[0].servers[0].extras = {{"host_nic_ip", "\"eth0\""}, {"hardware_type", "\"A2\""}};
  source.groups[0].super_pods = {{"pod", {{"s0"}}}};
  source.groups[1].super_pods = {{"pod", {{"s0"}, {"s1"}}}};
  const Table table = ranks_of(source);
  EXPECT_EQ(table.version, "1.2");
  EXPECT_EQ(table.servers.at(0).extras,
            (std::vector<Extra>{{"server_ip", "\"10.0.0.1\""}, {"hardware_type", "\"A2\""}}));
  EXPECT_EQ(table.super_pods, (std::vector<SuperPod>{{"pod", {{"s0"}, {"s1"}}}}));
}

TEST(RanksOf, RefusesAGroupWhoseRanksAreNumberedInNoWay) {
  for (const std::vector<std::pair<int, int>>& devices :
       {std::vector<std::pair<int, int>>{{0, 1}}, {{0, 0}, {1, 0}}, {{0, 0}, {1, 2}}, {{0, -1}}}) {
    ServerGroupTable source;
    source.groups = {group_of_servers("0", {}), group_of_servers("1", {group_server("s", devices)})};
    EXPECT_EQ(error_of([&] { ranks_of(source); }),
              "$.server_group_list[1]: its ranks count from 0 neither through the group nor in each server, "
              "wanted one of both");
  }
}

}  // namespace
}  // namespace adarun::ranktable
