// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/subset.h"

#include <gtest/gtest.h>

#include "ranktable/operations/convert.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

// Three servers of two cards, their ranks from the last server to the first, in two super pods.
Table three_servers() {
  Table table;
  table.version = "1.2";
  table.servers = {{"s0", "reserve", {{0, "10.0.0.1", 4}, {1, "10.0.0.2", 5}}},
                   {"s1", "reserve", {{0, "10.0.1.1", 2}, {1, "10.0.1.2", 3}}},
                   {"s2", "reserve", {{0, "10.0.2.1", 0}, {1, "10.0.2.2", 1}}}};
  table.super_pods = {{"a", {{"s0"}, {"s1"}}}, {"b", {{"s2"}}}};
  return table;
}

TEST(Subset, KeepsServersWithNewRanksInTheOldOrderAndTheirPods) {
  Table source = three_servers();
  source.wrong_server_count = "7";
  Table wanted = three_servers();
  wanted.servers.pop_back();
  wanted.super_pods.pop_back();
  wanted.servers[0].devices[0].rank_id = 2;
  wanted.servers[0].devices[1].rank_id = 3;
  wanted.servers[1].devices[0].rank_id = 0;
  wanted.servers[1].devices[1].rank_id = 1;
  EXPECT_EQ(subset(source, {{"s1", "s0"}, {}}), AnyTable(wanted));
}

TEST(Subset, KeepsDevicesOnEachServer) {
  Table wanted = three_servers();
  int rank = 2;
  for (Server& server : wanted.servers) {
    server.devices.erase(server.devices.begin());
    server.devices[0].rank_id = rank--;
  }
  EXPECT_EQ(subset(three_servers(), {{}, {1}}), AnyTable(wanted));
}

TEST(Subset, KeepsDevicesOfSomeServers) {
  const AnyTable kept = subset(three_servers(), {{"s0"}, {1}});
  const Table& table = std::get<Table>(kept);
  ASSERT_EQ(table.servers.size(), 1U);
  EXPECT_EQ(table.servers[0].devices, (std::vector<Device>{{1, "10.0.0.2", 0}}));
}

TEST(Subset, OfEverythingIsTheTable) {
  EXPECT_EQ(subset(three_servers(), {}), AnyTable(three_servers()));
}

// The ranks of a subset do not depend on the schema of the table.
TEST(Subset, WorksInEverySchema) {
  Table source = three_servers();
  int rank = 0;
  for (Server& server : source.servers)
    for (Device& device : server.devices) device.rank_id = rank++;
  const Selection selection{{"s2", "s1"}, {1}};
  const AnyTable wanted = convert(subset(source, selection), Schema::v1_0).table;
  for (const Schema schema :
       {Schema::v1_0, Schema::v1_2, Schema::v2_0, Schema::cloud, Schema::lab, Schema::server_group}) {
    const AnyTable kept = subset(convert(source, schema).table, selection);
    EXPECT_EQ(schema_of(kept), schema);
    EXPECT_EQ(convert(kept, Schema::v1_0).table, wanted) << name(schema);
  }
}

TEST(Subset, DropsGroupsAndCountsThatNoLongerHold) {
  CloudTable cloud;
  cloud.wrong_group_count = "5";
  cloud.groups = {{"g0", {{"p0", "s0", {{0, ""}}}, {"p1", "s1", {{0, ""}}}}},
                  {"g1", {{"p2", "s0", {{1, ""}}}}}};
  cloud.groups[0].wrong_instance_count = "9";
  cloud.groups[0].wrong_device_count = "9";
  CloudTable wanted;
  wanted.groups = {{"g0", {{"p1", "s1", {{0, ""}}}}}};
  EXPECT_EQ(subset(cloud, {{"s1"}, {}}), AnyTable(wanted));
  LabTable lab;
  lab.groups = {{"g0", {{{0, ""}, 0, "s0"}}}, {"g1", {{{0, ""}, 1, "s1"}}}};
  lab.groups[1].wrong_server_num = "9";
  LabTable wanted_lab;
  wanted_lab.groups = {{"g1", {{{0, ""}, 0, "s1"}}}};
  EXPECT_EQ(subset(lab, {{"s1"}, {}}), AnyTable(wanted_lab));
}

// A router has no devices, and stays; so does the way in which ranks are numbered.
TEST(Subset, RenumbersEachGroupAndKeepsThoseThatHadNoDevices) {
  const auto device = [](int id, int rank) { return GroupDevice{id, "", rank}; };
  ServerGroupTable table;
  table.groups = {
      {"0", "", {{"", "10.0.0.9"}}, {}, {}, {}},
      {"1",
       "",
       {{"s0", "s0", "", {device(0, 1), device(1, 3)}}, {"s1", "s1", "", {device(0, 0), device(1, 2)}}},
       {{"pod", {{"s0"}, {"s1"}}}}},
      {"2", "", {{"s2", "s2", "", {device(0, 0)}}}},
      {"3",
       "",
       {{"s0", "s0", "", {device(2, 1), device(3, 0)}}, {"s1", "s1", "", {device(2, 0), device(3, 1)}}}}};
  table.groups[1].wrong_server_count = "9";
  ServerGroupTable wanted = table;
  wanted.groups.erase(wanted.groups.begin() + 2);
  for (std::size_t i : {1U, 2U}) wanted.groups[i].servers.pop_back();
  wanted.groups[1].servers[0].devices = {device(0, 0), device(1, 1)};
  wanted.groups[1].super_pods[0].servers.pop_back();
  wanted.groups[1].wrong_server_count.reset();
  EXPECT_EQ(subset(table, {{"s0"}, {}}), AnyTable(wanted));
}

TEST(Subset, RefusesNamesThatTheTableDoesNotHave) {
  const struct {
    Selection selection;
    const char* message;
  } cases[] = {
      {{{"s0", "s3"}, {}}, "server s3: is not in the table"},
      {{{"s0", "s0"}, {}}, "server s0: selected twice"},
      {{{}, {1, 1}}, "device 1: selected twice"},
      {{{}, {0, 2}}, "server s0: has no device 2"},
      {{{"s1"}, {2}}, "server s1: has no device 2"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { subset(three_servers(), wrong.selection); }), wrong.message);
}

}  // namespace
}  // namespace adarun::ranktable
