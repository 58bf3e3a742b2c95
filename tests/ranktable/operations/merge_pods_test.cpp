// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "ranktable/operations/diff.h"
#include "ranktable/operations/merge.h"
#include "ranktable/operations/subset.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

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
