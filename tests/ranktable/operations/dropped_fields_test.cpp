// SPDX-License-Identifier: Apache-2.0
// What convert() reports as lost, for a table of each schema that has all possible fields.

#include <gtest/gtest.h>

#include <algorithm>

#include "ranktable/operations/convert.h"

namespace adarun::ranktable {
namespace {

using Lines = std::vector<std::string>;

const std::string eid(32, 'a');

Table version_1_2() {
  Table table;
  table.version = "1.2";
  table.servers = {{"s0", "eth7", {{0, "10.0.0.1", 0, "17", {{"backup_device_ip", "\"10.0.0.9\""}}}}},
                   {"s1", "reserve", {{0, "10.0.0.2", 1, "18", {{"device_port", "\"16666\""}}}}}};
  table.servers[0].extras = {{"container_ip", "\"172.17.0.2\""}};
  table.super_pods = {{"pod", {{"s0", {{"note", "1"}}}, {"s1"}}, {{"pod_note", "2"}}}};
  table.extras = {{"comment", "{}"}};
  return table;
}

CloudTable cloud() {
  CloudTable table;
  table.groups = {{"group0", {{"worker-0", "s0", {{0, "10.0.0.1", {{"numa_id", "1"}}}}, {{"ip", "2"}}}}},
                  {"other", {{"s1", "s1", {{0, "10.0.0.2"}}}}, {{"kind", "3"}}}};
  table.extras = {{"comment", "4"}};
  return table;
}

LabTable lab() {
  LabTable table;
  table.board_id = "0x0020";
  table.chip_info = "310P";
  table.deploy_mode = "lab2";
  table.groups = {{"", {{{0, "10.0.0.1", {{"a", "1"}}}, 0, "s0", {{"b", "2"}}}}, {{"c", "3"}}}};
  table.para_plane_nic_location = "host";
  table.para_plane_nic_names = {"bond0", "bond1"};
  table.extras = {{"d", "4"}};
  return table;
}

RankListTable rank_list() {
  RankListTable table;
  RankEntry rank;
  rank.local_id = 9;
  rank.device_port = 16666;
  rank.layers = {
      {0, "s0", "CLOS", "attr", {{"EID", eid, {"0/1"}}}, {{"control_plane", "{}"}}},
      {1, "pod", "CLOS", "", {}},
      {3, "all", "OTHER", "", {{"IPV4", "10.0.0.1", {"0/8", "0/9"}, "A", {{"backup_addr", "[]"}}}}}};
  rank.extras = {{"replaced_local_id", "1"}};
  table.ranks = {rank};
  table.extras = {{"detour", "\"true\""}};
  return table;
}

ServerGroupTable server_group() {
  GroupDevice device{3, "10.0.0.1", 0, 5, "17", {{"numa_id", "1"}, {"device_port", "\"16666\""}}};
  GroupServer first{"s0", "10.1.0.1", "172.17.0.2", {device}, {{"hardware_type", "2"}}};
  device.device_id = 4;
  device.super_device_id = "18";
  ServerGroupTable table;
  table.groups = {{"0", "", {{"", "10.0.0.9", "", {}, {{"note", "3"}}}}},
                  {"1", "4", {first}, {{"pod", {{"s0", {{"a", "5"}}}}, {{"b", "6"}}}}, {{"status", "7"}}},
                  {"2", "", {{"s0", "10.1.0.2", "", {device}}}}};
  table.extras = {{"c", "8"}};
  return table;
}

TEST(DroppedFields, OfVersion1_2) {
  const Lines pods = {"$.super_pod_list[0].super_pod_id: \"pod\""};
  const Lines of_1_2 = {"$.super_pod_list[0].server_list[0].note: 1", "$.super_pod_list[0].pod_note: 2"};
  const Lines to_1_0 = {"$.server_list[0].device[0].super_device_id: \"17\" (and 1 more)", pods[0], of_1_2[0],
                        of_1_2[1]};
  EXPECT_EQ(convert(version_1_2(), Schema::v1_0).dropped_fields, to_1_0);
  const Lines to_2_0 = {"$.server_list[0].device[0].super_device_id: \"17\" (and 1 more)",
                        "$.server_list[0].device[0].backup_device_ip: \"10.0.0.9\"",
                        "$.server_list[0].host_nic_ip: \"eth7\"",
                        "$.server_list[0].container_ip: \"172.17.0.2\"",
                        of_1_2[0],
                        of_1_2[1],
                        "$.comment: {}"};
  EXPECT_EQ(convert(version_1_2(), Schema::v2_0).dropped_fields, to_2_0);
  Lines to_others = to_2_0;
  to_others.insert(to_others.begin() + 4, "$.server_list[1].device[0].device_port: \"16666\"");
  to_others.insert(to_others.begin() + 5, pods[0]);
  EXPECT_EQ(convert(version_1_2(), Schema::cloud).dropped_fields, to_others);
  EXPECT_EQ(convert(version_1_2(), Schema::lab).dropped_fields, to_others);
}

TEST(DroppedFields, OfACloudTable) {
  const Lines all = {"$.group_list[0].instance_list[0].pod_name: \"worker-0\"",
                     "$.group_list[0].instance_list[0].devices[0].numa_id: 1",
                     "$.group_list[0].instance_list[0].ip: 2",
                     "$.group_list[1].group_name: \"other\"",
                     "$.group_list[1].kind: 3",
                     "$.comment: 4"};
  for (const Schema to : {Schema::v1_0, Schema::v1_2, Schema::v2_0, Schema::lab})
    EXPECT_EQ(convert(cloud(), to).dropped_fields, all) << name(to);
}

TEST(DroppedFields, OfALabTable) {
  const Lines all = {"$.board_id: \"0x0020\"",
                     "$.chip_info: \"310P\"",
                     "$.deploy_mode: \"lab2\"",
                     "$.group_list[0].group_name: \"\"",
                     "$.group_list[0].instance_list[0].devices[0].a: 1",
                     "$.group_list[0].instance_list[0].b: 2",
                     "$.group_list[0].c: 3",
                     "$.para_plane_nic_location: \"host\"",
                     "$.para_plane_nic_name: \"bond0\", ...",
                     "$.d: 4"};
  for (const Schema to : {Schema::v1_0, Schema::v1_2, Schema::v2_0, Schema::cloud})
    EXPECT_EQ(convert(lab(), to).dropped_fields, all) << name(to);
}

TEST(DroppedFields, OfVersion2_0) {
  const std::string rank = "$.rank_list[0]";
  const Lines to_1_2 = {rank + ".local_id: 9",
                        rank + ".level_list[0].net_type: \"CLOS\" (and 1 more)",
                        rank + ".level_list[0].net_attr: \"attr\"",
                        rank + ".level_list[0].rank_addr_list[0]: EID \"" + eid + "\"",
                        rank + ".level_list[0].control_plane: {}",
                        rank + ".level_list[2].net_instance_id: \"all\"",
                        rank + ".level_list[2].rank_addr_list[0].ports: \"0/8\", ...",
                        rank + ".level_list[2].rank_addr_list[0].plane_id: \"A\"",
                        rank + ".level_list[2].rank_addr_list[0].backup_addr: []",
                        rank + ".replaced_local_id: 1",
                        "$.detour: \"true\""};
  EXPECT_EQ(convert(rank_list(), Schema::v1_2).dropped_fields, to_1_2);
  EXPECT_EQ(convert(rank_list(), Schema::v1_0).dropped_fields.size(), to_1_2.size() + 1);
  EXPECT_EQ(convert(rank_list(), Schema::lab).dropped_fields.size(), to_1_2.size() + 2);
}

TEST(DroppedFields, OfAServerGroupTable) {
  const std::string group = "$.server_group_list[1]";
  const std::string server = group + ".server_list[0]";
  const Lines to_1_2 = {"$.server_group_list[0].group_id: \"0\" (and 1 more)",
                        "$.server_group_list[0].server_list[0].server_ip: \"10.0.0.9\" (and 1 more)",
                        "$.server_group_list[0].server_list[0].note: 3",
                        group + ".deploy_server: \"4\"",
                        group + ".status: 7",
                        "$.c: 8"};
  EXPECT_EQ(convert(server_group(), Schema::v1_2).dropped_fields, to_1_2);
  const Lines super_pods = {server + ".device[0].super_device_id: \"17\" (and 1 more)",
                            group + ".super_pod_list[0].super_pod_id: \"pod\"",
                            group + ".super_pod_list[0].server_list[0].a: 5",
                            group + ".super_pod_list[0].b: 6"};
  Lines to_1_0 = to_1_2;
  to_1_0.insert(to_1_0.begin() + 3, super_pods[0]);
  to_1_0.insert(to_1_0.begin() + 5, super_pods.begin() + 1, super_pods.end());
  EXPECT_EQ(convert(server_group(), Schema::v1_0).dropped_fields, to_1_0);
  const Lines to_lab = convert(server_group(), Schema::lab).dropped_fields;
  for (const std::string& line :
       {server + ".server_ip: \"10.1.0.1\"", server + ".container_ip: \"172.17.0.2\"",
        server + ".hardware_type: 2", server + ".device[0].device_logical_id: \"5\" (and 1 more)",
        server + ".device[0].numa_id: 1 (and 1 more)",
        server + ".device[0].device_port: \"16666\" (and 1 more)"})
    EXPECT_NE(std::find(to_lab.begin(), to_lab.end(), line), to_lab.end()) << line;
  EXPECT_EQ(to_lab.size(), to_1_0.size() + 6);
}

// Of a second entry of a server, all that differs from the first is lost.
TEST(DroppedFields, OfASecondEntryAreThoseThatTheFirstHasOtherwise) {
  ServerGroupTable table = server_group();
  const std::string second = "$.server_group_list[2].server_list[0]";
  const auto has = [&table](const std::string& line) {
    const Lines lines = convert(table, Schema::v1_2).dropped_fields;
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  table.groups.erase(table.groups.begin());
  GroupServer& entry = table.groups[1].servers[0];
  entry.server_ip = "s0";  // Its server_id, which is usual for a first entry alone.
  EXPECT_TRUE(has("$.server_group_list[1].server_list[0].server_ip: \"s0\""));
  entry.server_ip = "10.1.0.1";
  EXPECT_FALSE(has("$.server_group_list[1].server_list[0].server_ip: \"10.1.0.1\""));
  entry.container_ip = entry.server_ip;  // Usual in the same way.
  EXPECT_TRUE(has("$.server_group_list[1].server_list[0].container_ip: \"10.1.0.1\""));
}

// Unless it is the one that convert makes.
TEST(DroppedFields, OfARouterAreAllThatItHas) {
  Table source = version_1_2();
  source.servers[0].host_nic_ip = "reserve";
  source.extras.clear();
  ServerGroupTable table = std::get<ServerGroupTable>(convert(source, Schema::server_group).table);
  const auto lost = [&table] { return convert(table, Schema::v1_2).dropped_fields; };
  EXPECT_EQ(lost(), Lines{});
  GroupServer& router = table.groups[0].servers.at(0);
  const GroupServer usual = router;
  const std::string path = "$.server_group_list[0].server_list[0].";
  const Lines all = {"$.server_group_list[0].group_id: \"0\"", path + "server_id: \"s0\"",
                     path + "server_ip: \"s0\"", path + "container_ip: \"172.17.0.2\""};
  router.extras = {{"predict_port", "\"1025\""}};
  Lines wanted = all;
  wanted.push_back(path + "predict_port: \"1025\"");
  EXPECT_EQ(lost(), wanted);
  router = usual;
  router.server_id = "other";
  wanted = all;
  wanted[1] = path + "server_id: \"other\"";
  EXPECT_EQ(lost(), wanted);
  router = usual;
  router.container_ip = "172.17.0.9";
  wanted = all;
  wanted[3] = path + "container_ip: \"172.17.0.9\"";
  EXPECT_EQ(lost(), wanted);
}

// They become one pod, with what the first has.
TEST(DroppedFields, OfASecondSuperPodOfTheSameIdAreThoseThatTheFirstHasOtherwise) {
  ServerGroupTable table = server_group();
  table.groups[2].super_pods = {{"pod", {{"s0", {{"a", "6"}}}}, {{"b", "7"}}}};
  const Lines lines = convert(table, Schema::v1_2).dropped_fields;
  for (const char* line : {"$.server_group_list[2].super_pod_list[0].server_list[0].a: 6",
                           "$.server_group_list[2].super_pod_list[0].b: 7"})
    EXPECT_NE(std::find(lines.begin(), lines.end(), line), lines.end()) << line;
}

TEST(DroppedFields, OfVersion1_2ToServerGroupAreNone) {
  EXPECT_EQ(convert(version_1_2(), Schema::server_group).dropped_fields, Lines{});
}

}  // namespace
}  // namespace adarun::ranktable
