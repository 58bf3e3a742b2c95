// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ranktable/operations/convert.h"
#include "ranktable/schemas/server_group/schema.h"
#include "ranktable/validate.h"
#include "tests/ranktable/good_tables.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

using Lines = std::vector<std::string>;

std::vector<int> ranks_of_server(const GroupServer& server) {
  std::vector<int> ranks;
  for (const GroupDevice& device : server.devices) ranks.push_back(device.rank_id);
  return ranks;
}

TEST(GroupRanks, MakesARouterAndAGroupForEachSelectionByTheirIds) {
  const ServerGroupTable table = group_ranks(cluster(2, 2), {{"2", {2, 3}}, {"1", {0, 1}}}, "");
  ASSERT_EQ(table.groups.size(), 3U);
  EXPECT_EQ(table.groups[0].group_id, "0");
  EXPECT_EQ(table.groups[0].servers, (std::vector<GroupServer>{{"10.0.0.1", "10.0.0.1", "10.0.0.1"}}));
  ServerGroup prefill;
  prefill.group_id = "1";
  prefill.servers = {
      {"10.0.0.1", "10.0.0.1", "10.0.0.1", {{0, "192.168.0.1", 0, 0}, {1, "192.168.0.2", 1, 1}}}};
  EXPECT_EQ(table.groups[1], prefill);
  EXPECT_EQ(table.groups[2].group_id, "2");
  EXPECT_EQ(ranks_of_server(table.groups[2].servers.at(0)), (std::vector<int>{0, 1}));
  EXPECT_EQ(validate(AnyTable(table)).size(), 0U);
}

// The cards of a container are numbered from 0, whatever their ids.
TEST(GroupRanks, DividesTheDevicesOfAServer) {
  const ServerGroupTable table = group_ranks(cluster(2, 4), {{"1", {0, 1, 4, 5}}, {"2", {2, 3, 6, 7}}}, "r");
  EXPECT_EQ(table.groups[0].servers, (std::vector<GroupServer>{{"r", "r", "r"}}));
  ASSERT_EQ(table.groups[2].servers.size(), 2U);
  const GroupServer& second = table.groups[2].servers[1];
  EXPECT_EQ(second.server_id, "10.0.0.2");
  EXPECT_EQ(second.devices, (std::vector<GroupDevice>{{2, "192.168.1.3", 2, 0}, {3, "192.168.1.4", 3, 1}}));
}

TEST(GroupRanks, TakesGroup0AsTheRouterWhereItIsSelected) {
  const ServerGroupTable table = group_ranks(cluster(1, 2), {{"10", {1}}, {"0", {0}}}, "");
  ASSERT_EQ(table.groups.size(), 2U);
  EXPECT_EQ(table.groups[0].servers.at(0).devices.size(), 1U);
  EXPECT_EQ(table.groups[1].group_id, "10");
}

TEST(GroupRanks, ReadsAddressesThatTheTableNames) {
  Table source = cluster(1, 1);
  source.servers[0].extras = {{"server_ip", "\"10.1.0.1\""}, {"hardware_type", "\"A2\""}};
  source.servers[0].devices[0].extras = {{"device_logical_id", "\"5\""}};
  const ServerGroupTable table = group_ranks(source, {{"1", {0}}}, "");
  const GroupServer& server = table.groups[1].servers[0];
  EXPECT_EQ(server.server_ip, "10.1.0.1");
  EXPECT_EQ(server.extras, (std::vector<Extra>{{"hardware_type", "\"A2\""}}));
  EXPECT_EQ(server.devices[0].logical_id, 5);
  EXPECT_EQ(table.groups[0].servers[0].server_ip, "10.1.0.1");
  EXPECT_TRUE(table.groups[0].servers[0].extras.empty());
  source.servers[0].extras[0].json = "7";
  EXPECT_EQ(error_of([&] {
              group_ranks(source, {{"1", {0}}}, "");
            }).rfind("as a server_group table: $.", 0),
            0U);
}

TEST(GroupRanks, KeepsTheSuperPodsOfTheServersOfEachGroup) {
  const ServerGroupTable table = group_ranks(super_pods(2, 1, 2), {{"1", {0, 1}}, {"2", {2, 3}}}, "");
  EXPECT_EQ(table.version, "1.2");
  EXPECT_EQ(table.groups[1].super_pods, (std::vector<SuperPod>{{"pod0", {{"10.0.0.1"}}}}));
  EXPECT_EQ(table.groups[2].super_pods, (std::vector<SuperPod>{{"pod1", {{"10.0.0.2"}}}}));
  EXPECT_EQ(ranks_of(table).super_pods, super_pods(2, 1, 2).super_pods);
}

TEST(GroupRanks, RefusesWhatDoesNotFitTheTableNamingIt) {
  const struct {
    std::vector<GroupSelection> groups;
    const char* message;
  } cases[] = {
      {{{"1", {0, 1, 2}}}, "rank 3: is in no group"},
      {{{"1", {0, 1, 2, 3}}, {"2", {3}}}, "rank 3: is in two groups"},
      {{{"1", {0, 1, 2, 3}}, {"2", {4}}}, "rank 4: is not in the table"},
      {{{"1", {0, 1}}, {"1", {2, 3}}}, "group 1: comes twice"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { group_ranks(cluster(2, 2), wrong.groups, ""); }), wrong.message);
}

TEST(ConvertToGroups, SaysWhatIsLostAndAdded) {
  const Converted done = convert_to_groups(lab(2, 2), {{"1", {0, 1}}, {"2", {2, 3}}}, "");
  EXPECT_EQ(std::get<ServerGroupTable>(done.table).groups.size(), 3U);
  EXPECT_EQ(done.dropped_fields.at(0), "$.group_list[0].group_name: \"job\"");
  EXPECT_EQ(done.additions, Lines{"$.server_group_list[*].server_list[*].server_ip, container_ip: the "
                                  "server_id, where the table names no other"});
}

TEST(ToServerGroup, IsOneGroupOfAllRanksAndARouter) {
  const Converted done = convert(cluster(2, 2), Schema::server_group);
  const ServerGroupTable& table = std::get<ServerGroupTable>(done.table);
  ASSERT_EQ(table.groups.size(), 2U);
  EXPECT_EQ(table.groups[1].group_id, "2");
  EXPECT_EQ(ranks_of_server(table.groups[1].servers.at(1)), (std::vector<int>{2, 3}));
  EXPECT_EQ(done.additions.size(), 3U);
  const Converted back = convert(done.table, Schema::v1_0);
  EXPECT_EQ(back.table, AnyTable(cluster(2, 2)));
  EXPECT_EQ(back.dropped_fields, Lines{});
}

TEST(ToServerGroup, RefusesRanksWithAGap) {
  Table gap = cluster(1, 2);
  gap.servers[0].devices[1].rank_id = 2;
  EXPECT_EQ(
      error_of([&] { convert(gap, Schema::server_group); }),
      "rank 2: of 2 devices, wanted ranks from 0 without a gap, which is what a server_group table takes");
}

// As omni-infer writes them.
TEST(RankOrder, MayBeginAnewInEachServerOfAValidTable) {
  ServerGroupTable table = server_group(4, 2);
  EXPECT_EQ(rank_order(table.groups[1]), RankOrder::group);
  for (GroupServer& server : table.groups[1].servers)
    for (std::size_t i = 0; i < server.devices.size(); ++i) server.devices[i].rank_id = static_cast<int>(i);
  EXPECT_EQ(rank_order(table.groups[1]), RankOrder::server);
  EXPECT_EQ(validate(AnyTable(table)).size(), 0U);
  table.groups[1].servers[1].devices[0].rank_id = 5;
  EXPECT_EQ(rank_order(table.groups[1]), std::nullopt);
}

TEST(OnlyGroup, IsTheTableWithThatGroup) {
  const ServerGroupTable table = only_group(server_group(2, 2), "2");
  ASSERT_EQ(table.groups.size(), 1U);
  EXPECT_EQ(ranks_of(table).servers.at(0).devices.at(0).rank_id, 0);
  EXPECT_EQ(error_of([] { only_group(server_group(2, 2), "7"); }), "has no group 7, wanted one of 0, 1, 2");
}

TEST(OnlyGroup, RefusesAGroupWithoutDevicesAndAnIdOfTwo) {
  ServerGroupTable table = server_group(2, 2);
  EXPECT_EQ(error_of([&] { only_group(table, "0"); }), "group 0: has no devices");
  table.groups[2].group_id = "1";
  EXPECT_EQ(error_of([&] { only_group(table, "1"); }), "group 1: comes twice");
  for (int i = 10; i < 1000; ++i) table.groups.emplace_back().group_id = std::to_string(i);
  EXPECT_EQ(error_of([&] { only_group(table, "7"); }),
            "has no group 7, wanted one of 0, 1, 1, 10, 11, 12, 13, 14, ... (993 groups)");
}

TEST(ConvertServerGroup, RefusesATableWithoutDevices) {
  ServerGroupTable table = server_group(2, 2);
  table.groups.resize(1);
  EXPECT_EQ(error_of([&] { convert(table, Schema::v1_0); }), "has no devices");
}

TEST(ConvertToGroups, KeepsTheRouterAndWhatRunsWithoutDevices) {
  ServerGroupTable source = server_group(2, 2);
  source.groups[0].servers[0].extras = {{"predict_port", "\"1025\""}};
  const ServerGroup router = source.groups[0];
  const Converted same = convert_to_groups(source, {{"3", {2, 3}}, {"1", {0, 1}}}, "");
  const ServerGroupTable& table = std::get<ServerGroupTable>(same.table);
  ASSERT_EQ(table.groups.size(), 3U);
  EXPECT_EQ(table.groups[0], router);
  EXPECT_EQ(table.groups[1].group_id, "1");
  EXPECT_EQ(same.dropped_fields, Lines{}) << "a new group_id is what was asked for";
  const Converted other = convert_to_groups(source, {{"1", {0, 1, 2, 3}}}, "10.0.0.7");
  EXPECT_EQ(std::get<ServerGroupTable>(other.table).groups[0].servers[0].server_ip, "10.0.0.7");
  EXPECT_EQ(other.dropped_fields, (Lines{"$.server_group_list[0].group_id: \"0\"",
                                         "$.server_group_list[0].server_list[0].server_ip: \"10.0.0.99\"",
                                         "$.server_group_list[0].server_list[0].predict_port: \"1025\""}));
}

TEST(ConvertToGroups, SaysThatRanksCountThroughTheGroupNow) {
  ServerGroupTable source = server_group(4, 2);
  for (GroupServer& server : source.groups[1].servers)
    for (std::size_t i = 0; i < server.devices.size(); ++i) server.devices[i].rank_id = static_cast<int>(i);
  const Converted done = convert_to_groups(source, {{"1", {0, 1, 2, 3}}, {"2", {4, 5, 6, 7}}}, "");
  EXPECT_EQ(done.additions.front(),
            "$.server_group_list[1]: its ranks count through the group now: they began anew in each server");
}

// A container_ip is usually the server_ip, also where this is not the server_id.
TEST(ConvertServerGroup, KeepsAddressesThereAndBack) {
  ServerGroupTable source = server_group(2, 2);
  GroupServer& server = source.groups[1].servers[0];
  server.server_ip = server.container_ip = "10.9.0.1";
  const AnyTable back = convert(convert(source, Schema::v1_0).table, Schema::server_group).table;
  const GroupServer& entry = std::get<ServerGroupTable>(back).groups[1].servers[0];
  EXPECT_EQ(entry.server_ip, "10.9.0.1");
  EXPECT_EQ(entry.container_ip, "10.9.0.1");
  const ServerGroupTable regrouped =
      std::get<ServerGroupTable>(convert_to_groups(source, {{"1", {0, 1}}, {"2", {2, 3}}}, "").table);
  EXPECT_EQ(regrouped.groups[1], source.groups[1]);
}

}  // namespace
}  // namespace adarun::ranktable
