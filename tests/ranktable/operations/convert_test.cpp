// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/convert.h"

#include <gtest/gtest.h>

#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

using Lines = std::vector<std::string>;

// Two servers with two cards each, in the order of a cloud table.
Table two_servers() {
  Table table;
  table.servers = {{"10.0.0.10", "reserve", {{0, "192.168.10.0", 0}, {1, "192.168.10.1", 1}}},
                   {"10.0.0.2", "reserve", {{0, "192.168.2.0", 2}, {1, "fd00::1", 3}}}};
  return table;
}

// The same in one super pod each.
Table two_pods() {
  Table table = two_servers();
  table.version = "1.2";
  table.super_pods = {{"a", {{"10.0.0.10"}}}, {"b", {{"10.0.0.2"}}}};
  for (Server& server : table.servers)
    for (Device& device : server.devices) device.super_device_id = std::to_string(device.device_id);
  return table;
}

NetLayer layer(int number, const std::string& instance, const std::string& net_type,
               std::vector<RankAddress> addresses = {}) {
  return {number, instance, net_type, "", std::move(addresses)};
}

RankEntry entry(int rank_id, int device_id, std::vector<NetLayer> layers) {
  return {rank_id, device_id, device_id, {}, {}, std::move(layers)};
}

// In the form that convert writes, on a server, in a super pod and with an address.
RankEntry full_entry(int rank_id, int device_id, const std::string& server_id, const std::string& pod,
                     const RankAddress& address) {
  return entry(rank_id, device_id,
               {layer(0, server_id, "TOPO_FILE_DESC", {address}), layer(1, pod, "CLOS", {address}),
                layer(3, "CLUSTER", "CLOS", {address})});
}

TEST(Convert, GivesATableOfTheWantedSchemaAsItIs) {
  const Table table = two_pods();
  const Converted same = convert(table, Schema::v1_2);
  EXPECT_EQ(same.table, AnyTable(table));
  EXPECT_EQ(same.dropped_fields, Lines{});
  EXPECT_EQ(same.additions, Lines{});
}

TEST(Convert, WritesACloudTableWithAPodForEachServer) {
  const Converted done = convert(two_servers(), Schema::cloud);
  CloudTable wanted;
  wanted.groups = {{"group0",
                    {{"10.0.0.10", "10.0.0.10", {{0, "192.168.10.0"}, {1, "192.168.10.1"}}},
                     {"10.0.0.2", "10.0.0.2", {{0, "192.168.2.0"}, {1, "fd00::1"}}}}}};
  EXPECT_EQ(done.table, AnyTable(wanted));
  EXPECT_EQ(done.dropped_fields, Lines{});
  const Lines additions = {"$.group_list[0].group_name: \"group0\"",
                           "$.group_list[0].instance_list[*].pod_name: the server_id"};
  EXPECT_EQ(done.additions, additions);
}

TEST(Convert, ReadsTheRanksOfACloudTableAsHcclDoes) {
  CloudTable cloud;
  cloud.groups = {{"group0",
                   {{"10.0.0.2", "10.0.0.2", {{1, "fd00::1"}, {0, "192.168.2.0"}}},
                    {"10.0.0.10", "10.0.0.10", {{0, "192.168.10.0"}, {1, "192.168.10.1"}}}}}};
  const Converted done = convert(cloud, Schema::v1_0);
  EXPECT_EQ(done.table, AnyTable(two_servers()));
  EXPECT_EQ(done.dropped_fields, Lines{});
  const Lines additions = {"$.server_list[*].host_nic_ip: \"reserve\", as hccl_tools.py writes it",
                           "the ranks: HCCL's, by server_id in byte order, then by device_id"};
  EXPECT_EQ(done.additions, additions);
}

TEST(Convert, RefusesACloudTableThatWouldMoveARankNamingIt) {
  Table table = two_servers();
  std::swap(table.servers[0].devices[0].rank_id, table.servers[1].devices[1].rank_id);
  EXPECT_EQ(error_of([&] { convert(table, Schema::cloud); }),
            "server 10.0.0.10: device 0: its rank 3 would become 0: HCCL ranks a cloud table by server_id in "
            "byte order, then by device_id");
}

TEST(Convert, WritesALabTableWithAnInstanceForEachDevice) {
  const Converted done = convert(two_servers(), Schema::lab);
  LabTable wanted;
  wanted.groups = {{"group0",
                    {{{0, "192.168.10.0"}, 0, "10.0.0.10"},
                     {{1, "192.168.10.1"}, 1, "10.0.0.10"},
                     {{0, "192.168.2.0"}, 2, "10.0.0.2"},
                     {{1, "fd00::1"}, 3, "10.0.0.2"}}}};
  wanted.para_plane_nic_names = {"eth0", "eth1"};
  EXPECT_EQ(done.table, AnyTable(wanted));
  EXPECT_EQ(done.dropped_fields, Lines{});
  const Lines additions = {"$.board_id: \"0x0000\", which is x86: arm has \"0x0020\"", "$.chip_info: \"910\"",
                           "$.group_list[0].group_name: \"group0\"",
                           "$.para_plane_nic_name: eth and each device_id"};
  EXPECT_EQ(done.additions, additions);
}

TEST(Convert, WritesServersPodsAndAddressesAsLayers) {
  const Converted done = convert(two_pods(), Schema::v2_0);
  const auto address = [](const std::string& type, const std::string& text) {
    return RankAddress{type, text, {"0/0"}, "CLUSTER"};
  };
  RankListTable wanted;
  wanted.ranks = {full_entry(0, 0, "10.0.0.10", "a", address("IPV4", "192.168.10.0")),
                  full_entry(1, 1, "10.0.0.10", "a", address("IPV4", "192.168.10.1")),
                  full_entry(2, 0, "10.0.0.2", "b", address("IPV4", "192.168.2.0")),
                  full_entry(3, 1, "10.0.0.2", "b", address("IPV6", "fd00::1"))};
  EXPECT_EQ(std::get<RankListTable>(done.table).ranks, wanted.ranks);
  EXPECT_EQ(done.dropped_fields, (Lines{"$.server_list[0].device[0].super_device_id: \"0\" (and 3 more)"}));
  const Lines additions = {
      "$.rank_list[*].local_id: the device_id",
      "$.rank_list[*].level_list[*].net_type: \"TOPO_FILE_DESC\" on layer 0, \"CLOS\" above",
      "$.rank_list[*].level_list[*].rank_addr_list: the device_ip, on every layer",
      "$.rank_list[*].level_list[*].rank_addr_list[0].ports: [\"0/0\"]: put the ports of "
      "your cards there"};
  EXPECT_EQ(done.additions, additions);
}

TEST(Convert, WritesRanksOf2_0RisingAndPlainOnesWithoutAddresses) {
  Table table;
  table.servers = {{"b", "", {{5, "", 1}}}, {"a", "", {{7, "", 0}}}};
  const Converted done = convert(table, Schema::v2_0);
  const std::vector<RankEntry> wanted = {entry(0, 7, {layer(0, "a", "TOPO_FILE_DESC")}),
                                         entry(1, 5, {layer(0, "b", "TOPO_FILE_DESC")})};
  EXPECT_EQ(std::get<RankListTable>(done.table).ranks, wanted);
  EXPECT_EQ(done.additions.size(), 2U);
}

TEST(Convert, MakesASuperPodForVersion1_2ButNoDeviceNumbers) {
  const Converted done = convert(two_servers(), Schema::v1_2);
  Table wanted = two_servers();
  wanted.version = "1.2";
  wanted.super_pods = {{"0", {{"10.0.0.10"}, {"10.0.0.2"}}}};
  EXPECT_EQ(done.table, AnyTable(wanted));
  const Lines additions = {
      "$.super_pod_list[0].super_pod_id: \"0\", with all servers: which share a fabric is not known",
      "$.server_list[*].device[*].super_device_id: none, though HCCL wants it on A3: npu-smi info -t "
      "spod-info prints it"};
  EXPECT_EQ(done.additions, additions);
}

TEST(Convert, ReadsWhatA1_0TablePassesOnOfSuperPods) {
  Table table = two_servers();
  table.servers[0].devices[1].extras = {{"super_device_id", "\"7\""}};
  table.extras = {
      {"super_pod_list", R"([{"super_pod_id": "a", "server_list": [{"server_id": "10.0.0.2"}]}])"}};
  const Table converted = std::get<Table>(convert(table, Schema::v1_2).table);
  EXPECT_EQ(converted.servers[0].devices[1].super_device_id, "7");
  EXPECT_TRUE(converted.servers[0].devices[1].extras.empty());
  ASSERT_EQ(converted.super_pods.size(), 1U);
  EXPECT_EQ(converted.super_pods[0].super_pod_id, "a");
  EXPECT_TRUE(converted.extras.empty());
  table.servers[0].devices[1].extras[0].json = "7";
  EXPECT_EQ(
      error_of([&] { convert(table, Schema::v1_2); }).rfind("as a table of version 1.2: $.server_list[0]", 0),
      0U);
}

TEST(Convert, DropsSuperPodsForVersion1_0) {
  const Converted done = convert(two_pods(), Schema::v1_0);
  EXPECT_EQ(done.table, AnyTable(two_servers()));
  const Lines dropped = {"$.server_list[0].device[0].super_device_id: \"0\" (and 3 more)",
                         "$.super_pod_list[0].super_pod_id: \"a\" (and 1 more)"};
  EXPECT_EQ(done.dropped_fields, dropped);
}

TEST(Convert, TakesPortsTo2_0AndBack) {
  Table table = two_servers();
  table.servers[1].devices[0].extras = {{"device_port", "\"16666\""}, {"host_port", "\"1\""}};
  const Converted there = convert(table, Schema::v2_0);
  EXPECT_EQ(there.dropped_fields, Lines{});
  EXPECT_EQ(std::get<RankListTable>(there.table).ranks[2].device_port, 16666);
  const Converted back = convert(there.table, Schema::v1_0);
  EXPECT_EQ(back.table, AnyTable(table));
  EXPECT_EQ(back.dropped_fields, Lines{});
  EXPECT_EQ(convert(there.table, Schema::lab).dropped_fields,
            (Lines{"$.rank_list[2].device_port: 16666", "$.rank_list[2].host_port: 1"}));
}

TEST(Convert, TakesNoPortThatIsNone) {
  for (const char* json : {"\"0\"", "\"65536\"", "16666", "\"1x\"", "\"", "null"}) {
    Table table = two_servers();
    table.servers[0].devices[0].extras = {{"device_port", json}};
    EXPECT_EQ(convert(table, Schema::v2_0).dropped_fields,
              Lines{"$.server_list[0].device[0].device_port: " + std::string(json)});
  }
}

TEST(Convert, CountsAnewAndSaysSo) {
  Table table = two_servers();
  table.wrong_server_count = "7";
  EXPECT_EQ(convert(table, Schema::v1_0).additions, Lines{"$.server_count: 2, counted anew: it said \"7\""});
  EXPECT_EQ(convert(table, Schema::cloud).additions.size(), 3U);
  EXPECT_FALSE(std::get<Table>(convert(table, Schema::v1_2).table).wrong_server_count);
}

TEST(Convert, CountsTheGroupsOfAGroupListAnew) {
  CloudTable cloud;
  cloud.wrong_group_count = "2";
  cloud.groups = {{"group0", {{"s", "s", {{0, ""}}}, {"t", "t", {{0, ""}, {1, ""}}}}}};
  cloud.groups[0].wrong_instance_count = "9";
  cloud.groups[0].wrong_device_count = "8";
  EXPECT_EQ(convert(cloud, Schema::cloud).additions,
            (Lines{"$.group_count: 1, counted anew: it said \"2\"",
                   "$.group_list[0].instance_count: 2, counted anew: it said \"9\"",
                   "$.group_list[0].device_count: 3, counted anew: it said \"8\""}));
  LabTable lab;
  lab.wrong_nic_num = "5";
  lab.groups = {{"group0", {{{0, ""}, 0, "s"}, {{1, ""}, 1, "s"}, {{0, ""}, 2, "t"}}}};
  lab.groups[0].wrong_device_num = "x";
  lab.groups[0].wrong_server_num = "";
  lab.groups[0].wrong_instance_count = "7";
  EXPECT_EQ(convert(lab, Schema::lab).additions,
            (Lines{"$.group_list[0].device_num: 3, counted anew: it said \"x\"",
                   "$.group_list[0].server_num: 2, counted anew: it said \"\"",
                   "$.group_list[0].instance_count: 3, counted anew: it said \"7\"",
                   "$.para_plane_nic_num: 0, counted anew: it said \"5\""}));
  RankListTable list;
  list.wrong_rank_count = 3;
  EXPECT_EQ(convert(list, Schema::v2_0).additions, Lines{"$.rank_count: 0, counted anew: it said \"3\""});
}

TEST(Convert, RefusesWhatTheWantedSchemaCannotHold) {
  Table far = two_servers();
  far.servers[0].devices[1].device_id = 64;
  Table placeholder = two_servers();
  placeholder.servers[0].devices[1].device_ip = "-.-.-.-";
  Table two_in_two = two_pods();
  two_in_two.super_pods[1].servers.push_back({"10.0.0.10"});
  Table twice = two_servers();
  twice.servers[0].devices[1].device_id = 0;
  Table same_rank = two_servers();
  same_rank.servers[0].devices[1].rank_id = 2;
  RankListTable eid;
  eid.ranks = {entry(0, 0, {layer(0, "s", "CLOS", {{"EID", std::string(32, '0'), {"0/1"}}})})};
  RankListTable long_name;
  long_name.ranks = {entry(0, 0, {layer(0, std::string(65, 's'), "CLOS")})};
  const struct {
    AnyTable table;
    Schema to;
    std::string message;
  } cases[] = {
      {far, Schema::v2_0,
       "server 10.0.0.10: device 64: wanted a device_id of 0 to 63, which is what a 2.0 table takes"},
      {placeholder, Schema::v2_0,
       "server 10.0.0.10: device 1: device_ip \"-.-.-.-\": not an IPv4 or IPv6 address, which is what a 2.0 "
       "table takes"},
      {two_in_two, Schema::v2_0, "server 10.0.0.10: is in the super pods a and b"},
      {twice, Schema::cloud, "server 10.0.0.10: has device 0 twice"},
      {same_rank, Schema::lab, "rank 2: comes twice"},
      {eid, Schema::v1_0,
       "$.rank_list[0].level_list: EID addresses alone, wanted an IPV4 or IPV6 one to stand as device_ip"},
      {long_name, Schema::v1_0, "server_id " + std::string(65, 's') + ": 65 characters, at most 64"},
  };
  for (const auto& wrong : cases) EXPECT_EQ(error_of([&] { convert(wrong.table, wrong.to); }), wrong.message);
}

}  // namespace
}  // namespace adarun::ranktable
