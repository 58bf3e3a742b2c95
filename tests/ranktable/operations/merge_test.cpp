// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/merge.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "ranktable/operations/diff.h"
#include "ranktable/operations/gen.h"
#include "ranktable/operations/subset.h"
#include "ranktable/write.h"
#include "tests/ranktable/operations/inputs.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

std::vector<std::string> server_ids(const Table& table) {
  std::vector<std::string> ids;
  for (const Server& each : table.servers) ids.push_back(each.server_id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Merge, GivesTheBytesOfTheReference) {
  const MergeInput inputs[] = {input("a", {{"a", "reserve", {{3, "10.0.0.1", 0}}}}),
                               input("b", {{"b", "reserve", {{7, "10.0.0.2", 0}}}})};
  const Merged merged = merge(inputs, Order::given);
  EXPECT_EQ(write(merged.table), R"({
    "version": "1.0",
    "server_count": "2",
    "server_list": [
        {
            "server_id": "a",
            "device": [
                {
                    "device_id": "3",
                    "device_ip": "10.0.0.1",
                    "rank_id": "0"
                }
            ],
            "host_nic_ip": "reserve"
        },
        {
            "server_id": "b",
            "device": [
                {
                    "device_id": "7",
                    "device_ip": "10.0.0.2",
                    "rank_id": "1"
                }
            ],
            "host_nic_ip": "reserve"
        }
    ],
    "status": "completed"
})");
  EXPECT_EQ(merged_name(merged.table), "hccl_2s_2p.json");
  EXPECT_TRUE(merged.warnings.empty());
}

TEST(Merge, KeepsFieldsOfOtherToolsInServersAndDevices) {
  Table table = two_cards_table();
  table.servers[0].extras = {{"container_ip", "\"172.17.0.2\""}};
  table.servers[0].devices[1].extras = {{"numa_id", "3"}};
  const MergeInput inputs[] = {{"a", table}};
  EXPECT_EQ(merge(inputs, Order::given).table, table);
}

TEST(Merge, PutsServersIntoTheWantedOrder) {
  const MergeInput inputs[] = {input("a", {server("10.0.0.10", 1, 4)}),
                               input("b", {server("10.0.0.9", 2, 0)}),
                               input("c", {server("10.0.0.2", 3, 2)})};
  EXPECT_EQ(server_ids(merge(inputs, Order::given).table), (Ids{"10.0.0.10", "10.0.0.9", "10.0.0.2"}));
  EXPECT_EQ(server_ids(merge(inputs, Order::numeric).table), (Ids{"10.0.0.2", "10.0.0.9", "10.0.0.10"}));
  EXPECT_EQ(server_ids(merge(inputs, Order::lexical).table), (Ids{"10.0.0.10", "10.0.0.2", "10.0.0.9"}));
  EXPECT_EQ(server_ids(merge(inputs, Order::rank).table), (Ids{"10.0.0.9", "10.0.0.2", "10.0.0.10"}));
}

TEST(Merge, NumbersRanksAnewInEveryOrder) {
  const MergeInput inputs[] = {input("a", {server("b", 1, 7)}), input("b", {server("a", 2, 3)})};
  for (const Order order : {Order::given, Order::numeric, Order::lexical, Order::rank}) {
    int next_rank = 0;
    for (const Server& each : merge(inputs, order).table.servers)
      for (const Device& device : each.devices) EXPECT_EQ(device.rank_id, next_rank++);
  }
}

TEST(Merge, SortsByRankTableByTableWhereRanksComeTwice) {
  const MergeInput inputs[] = {input("a", {server("a1", 1, 2), server("a0", 2, 0)}),
                               input("b", {{"b", "", {{0, "10.0.0.1", 1}, {1, "10.0.0.2", 0}}}})};
  const Table table = merge(inputs, Order::rank).table;
  EXPECT_EQ(server_ids(table), (Ids{"a0", "a1", "b"}));
  EXPECT_EQ(table.servers[2].devices[0].device_id, 1);
}

TEST(Merge, WarnsWhereTheGivenOrderIsNeitherNumericNorLexical) {
  const auto warns = [](const std::vector<std::string>& ids) {
    std::vector<MergeInput> inputs;
    for (const std::string& id : ids)
      inputs.push_back(input(id, {server(id, static_cast<int>(inputs.size()))}));
    return !merge(inputs, Order::given).warnings.empty();
  };
  EXPECT_FALSE(warns({"10.0.0.2", "10.0.0.10"}));
  EXPECT_FALSE(warns({"10.0.0.10", "10.0.0.2"}));
  EXPECT_TRUE(warns({"10.0.0.9", "10.0.0.2", "10.0.0.10"}));
}

TEST(Merge, WarnsOfWhatItCorrectsOrLeavesOut) {
  MergeInput odd = input("a.json", {server("a", 1)});
  odd.table.wrong_server_count = "3";
  odd.table.status = "initializing";
  odd.table.extras = {{"comment", "1"}};
  const Merged merged = merge(std::span(&odd, 1), Order::given);
  const std::vector<std::string> wanted = {"a.json: server_count is \"3\", but it has 1: counted anew",
                                           "a.json: status is \"initializing\", and so is that of the result",
                                           "a.json: field \"comment\" is left out of the result"};
  EXPECT_EQ(merged.warnings, wanted);
  EXPECT_EQ(merged.table.status, "initializing");
  EXPECT_FALSE(merged.table.wrong_server_count);
}

TEST(Merge, RefusesWhatNoTableCanHoldNamingTheFiles) {
  const PlainNode nodes[] = {{"p", {0}}};
  const struct {
    std::vector<MergeInput> inputs;
    const char* message;
  } cases[] = {
      {{}, "merge: no tables, wanted at least one"},
      {{input("a.json", {})}, "a.json: has no servers"},
      {{input("a.json", {{"x", "", {}}})}, "a.json: server x has no devices"},
      {{input("a.json", {server("x", 1)}), input("b.json", {server("x", 2)})},
       "a.json and b.json: both have server x"},
      {{input("a.json", {server("x", 1)}), input("b.json", {server("y", 1)})},
       "a.json and b.json: both have the card address 192.168.1.1"},
      {{input("a.json", {{"x", "", {{0, "fe80::1", 0}, {1, "FE80:0::1", 1}}}})},
       "a.json: has the card address fe80::1 twice"},
      {{input("a.json", {server("x", 1)}), input("d/hccl_1s_2p.json", {server("x", 1)})},
       "a.json and d/hccl_1s_2p.json: both have server x (d/hccl_1s_2p.json looks like the result of an "
       "earlier "
       "merge: leave it out)"},
      {{input("a.json", {server("x", 1)}), {"p.json", plain(nodes)}},
       "p.json: has no card addresses, but a.json has"},
      {{{"p.json", plain(nodes)}, input("a.json", {server("x", 1)})},
       "p.json: has no card addresses, but a.json has"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { merge(wrong.inputs, Order::given); }), wrong.message);
}

TEST(MergedName, IsRecognised) {
  for (const char* name : {"hccl_2s_16p.json", "hccl_10s_1p.json"}) EXPECT_TRUE(is_merged_name(name)) << name;
  for (const char* name : {"hccl_8p_01234567_10.0.0.2.json", "hccl_s_p.json", "hccl_2s_16p.json.bak",
                           "2s_16p.json", "hccl_2s_p.json", "hccl_.json", "hccl_p.json", "xhccl_2s_16p.json"})
    EXPECT_FALSE(is_merged_name(name)) << name;
}

TEST(NumericOrder, ComparesAddressesAndRunsOfDigitsByValue) {
  const std::pair<const char*, const char*> ascending[] = {
      {"10.0.0.2", "10.0.0.10"}, {"node2", "node10"}, {"node", "node1"},
      {"a9b", "a10a"},           {"n01", "n1"},       {"n1", "n02"},
      {"fe80::2", "fe80::10"},   {"9", "n1"},         {"fe80::1", "1node"}};
  for (const auto& [left, right] : ascending) {
    EXPECT_TRUE(numeric_less(left, right)) << left << ' ' << right;
    EXPECT_FALSE(numeric_less(right, left)) << left << ' ' << right;
  }
  EXPECT_FALSE(numeric_less("node1", "node1"));
}

// A server of one card, identified by `number`.
Server numbered_server(const std::string& id, int number) {
  return {id, "", {{0, "10.1.0." + std::to_string(number), 0, std::to_string(number)}}};
}

MergeInput input_with_pods(const std::string& name, std::vector<Server> servers, std::vector<SuperPod> pods) {
  Table table;
  table.version = "1.2";
  table.servers = std::move(servers);
  table.super_pods = std::move(pods);
  return {name, table};
}

using Pods = std::vector<SuperPod>;

TEST(MergePods, JoinsPodsOfTheSameIdInTheOrderOfTheirServers) {
  const MergeInput inputs[] = {input_with_pods("a", {numbered_server("s4", 4), numbered_server("s1", 1)},
                                               {{"p", {{"s4", {{"note", "1"}}}}}, {"q", {{"s1"}}}}),
                               input_with_pods("b", {numbered_server("s2", 2), numbered_server("s3", 3)},
                                               {{"r", {{"s3"}}}, {"p", {{"s2"}}}})};
  const Merged given = merge(inputs, Order::given);
  EXPECT_EQ(given.table.version, "1.2");
  EXPECT_EQ(given.table.super_pods,
            (Pods{{"p", {{"s4", {{"note", "1"}}}, {"s2"}}}, {"q", {{"s1"}}}, {"r", {{"s3"}}}}));
  EXPECT_EQ(merge(inputs, Order::numeric).table.super_pods,
            (Pods{{"q", {{"s1"}}}, {"p", {{"s2"}, {"s4", {{"note", "1"}}}}}, {"r", {{"s3"}}}}));
  EXPECT_EQ(given.table.servers[2].devices[0].super_device_id, "2");
}

TEST(MergePods, KeepsTheFieldsOfAPodAndWarnsWhereTheyDiffer) {
  const std::vector<Extra> fields = {{"kind", "1"}};
  const MergeInput same[] = {input_with_pods("a", {numbered_server("s1", 1)}, {{"p", {{"s1"}}, fields}}),
                             input_with_pods("b", {numbered_server("s2", 2)}, {{"p", {{"s2"}}, fields}})};
  EXPECT_EQ(merge(same, Order::given).table.super_pods, (Pods{{"p", {{"s1"}, {"s2"}}, fields}}));
  EXPECT_TRUE(merge(same, Order::given).warnings.empty());
  MergeInput different[] = {same[0], input_with_pods("b", {numbered_server("s2", 2)}, {{"p", {{"s2"}}}})};
  const Merged merged = merge(different, Order::given);
  EXPECT_EQ(merged.table.super_pods.at(0).extras, fields);
  EXPECT_EQ(merged.warnings,
            std::vector<std::string>{"a and b: the fields of super pod p differ: those of a are kept"});
}

TEST(MergePods, RefusesPodsThatDoNotGoTogether) {
  MergeInput old = input_with_pods("old dir/a.json", {numbered_server("s9", 9)}, {});
  old.table.version = "1.0";
  const MergeInput one = input_with_pods("a", {numbered_server("s1", 1)}, {{"p", {{"s1"}}}});
  const struct {
    std::vector<MergeInput> inputs;
    const char* message;
  } cases[] = {
      {{one, input_with_pods("b", {numbered_server("s2", 2)}, {{"q", {{"s2"}, {"s1"}}}})},
       "a and b: server s1 is in the super pods p and q"},
      {{input_with_pods("a", {numbered_server("s1", 1)}, {{"p", {{"s1"}}}, {"q", {{"s1"}}}})},
       "a: server s1 is in the super pods p and q"},
      {{input_with_pods("a", {numbered_server("s1", 1)}, {{"p", {{"s1"}, {"s2"}}}})},
       "a: super pod p names server s2, which no table has"},
      {{one, input_with_pods("b", {{"s2", "", {{0, "10.1.0.2", 0, "1"}}}}, {{"p", {{"s2"}}}})},
       "a and b: super pod p would have the super_device_id 1 twice"},
      {{old, one},
       "old dir/a.json and a: are of version 1.0 and 1.2, wanted one: adarun ranktable convert 'old "
       "dir/a.json' --to 1.2 -o 'old dir/1.2-a.json'"},
      {{one, old},
       "a and old dir/a.json: are of version 1.2 and 1.0, wanted one: adarun ranktable convert 'old "
       "dir/a.json' --to 1.2 -o 'old dir/1.2-a.json'"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { merge(wrong.inputs, Order::given); }), wrong.message);
}

TEST(MergePods, TakesTheSameSuperDeviceInDifferentPods) {
  const MergeInput inputs[] = {
      input_with_pods("a", {numbered_server("s1", 1)}, {{"p", {{"s1"}}}}),
      input_with_pods("b", {{"s2", "", {{0, "10.1.0.2", 0, "1"}}}}, {{"q", {{"s2"}}}})};
  EXPECT_EQ(merge(inputs, Order::given).table.super_pods.size(), 2U);
}

TEST(MergePods, GivesBackThePartsWhenItIsCut) {
  std::mt19937 random(20266);
  const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    const bool has_pods = below(2) == 0;
    std::vector<MergeInput> parts;
    int count = 0;
    for (int part = 1 + below(4); part > 0; --part) {
      Table table;
      table.version = has_pods ? "1.2" : "1.0";
      int rank = 0;
      for (int left = 1 + below(3); left > 0; --left) {
        Server& added = table.servers.emplace_back();
        added.server_id = "node" + std::to_string(++count);
        for (int device = 0; device <= below(4); ++device)
          added.devices.push_back({device, "10." + std::to_string(device) + ".0." + std::to_string(count),
                                   rank++, has_pods ? std::to_string(count * 100 + device) : ""});
        if (has_pods) table.super_pods.push_back({"pod" + std::to_string(count % 7), {{added.server_id}}});
      }
      parts.push_back({"part" + std::to_string(part), table});
    }
    for (const Order order : {Order::given, Order::numeric, Order::lexical, Order::rank}) {
      const Table whole = merge(parts, order).table;
      for (const MergeInput& part : parts) {
        Selection selection;
        for (const Server& each : part.table.servers) selection.server_ids.push_back(each.server_id);
        const Table back = std::get<Table>(subset(whole, selection));
        EXPECT_EQ(back.servers.size(), part.table.servers.size());
        EXPECT_TRUE(order != Order::given || is_same(diff(part.table, back))) << part.name;
        EXPECT_EQ(back.version, part.table.version);
        EXPECT_TRUE(diff(part.table, back).removed.empty() && diff(part.table, back).added.empty());
        EXPECT_TRUE(diff(part.table, back).pod_changed.empty());
      }
    }
  }
}

}  // namespace
}  // namespace adarun::ranktable
