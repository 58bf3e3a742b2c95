// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/diff.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ranktable/schemas/server_group/schema.h"
#include "tests/ranktable/good_tables.h"

namespace adarun::ranktable {
namespace {

// Two servers of two cards in one super pod.
Table base() {
  Table table;
  table.version = "1.2";
  table.servers = {{"s0", "", {{0, "10.0.0.1", 0, "1"}, {1, "10.0.0.2", 1, "2"}}},
                   {"s1", "", {{0, "10.0.0.3", 2, "3"}, {1, "fe80::4", 3, "4"}}}};
  table.super_pods = {{"a", {{"s0"}, {"s1"}}}};
  return table;
}

std::vector<int> ranks(const std::vector<Row>& rows) {
  std::vector<int> all;
  for (const Row& row : rows) all.push_back(row.rank);
  return all;
}

using Pairs = std::vector<std::pair<int, int>>;

Pairs ranks(const std::vector<DeviceChange>& changes) {
  Pairs all;
  for (const DeviceChange& change : changes) all.emplace_back(change.before.rank, change.after.rank);
  return all;
}

TEST(Diff, OfTheSameTableIsEmptyHoweverItIsWritten) {
  Table other = base();
  std::reverse(other.servers.begin(), other.servers.end());
  std::reverse(other.servers[1].devices.begin(), other.servers[1].devices.end());
  other.version = "1.0";
  other.wrong_server_count = "9";
  other.extras = {{"comment", "1"}};
  other.servers[0].host_nic_ip = "reserve";
  other.servers[0].devices[1].device_ip = "FE80:0::4";
  EXPECT_TRUE(is_same(diff(base(), other)));
}

TEST(Diff, OfATableWithItselfIsEmptyEvenWhereADeviceComesTwice) {
  Table twice = base();
  twice.servers[0].devices[1].device_id = 0;
  EXPECT_TRUE(is_same(diff(twice, twice)));
  EXPECT_EQ(ranks(diff(base(), twice).added), std::vector<int>{1});
}

TEST(Diff, NamesRanksThatMoved) {
  Table other = base();
  std::swap(other.servers[0].devices[1].rank_id, other.servers[1].devices[0].rank_id);
  const Diff found = diff(base(), other);
  EXPECT_EQ(ranks(found.moved), (Pairs{{2, 1}, {1, 2}}));
  EXPECT_EQ(found.moved.front().after.server_id, "s1");
  EXPECT_TRUE(found.removed.empty() && found.added.empty() && found.address_changed.empty());
}

TEST(Diff, NamesDevicesThatCameAndWent) {
  Table other = base();
  other.servers[0].devices.pop_back();
  other.servers[1].devices.push_back({7, "10.0.0.9", 1, "7"});
  const Diff found = diff(base(), other);
  EXPECT_EQ(ranks(found.removed), std::vector<int>{1});
  EXPECT_EQ(found.removed.front().server_id, "s0");
  EXPECT_EQ(ranks(found.added), std::vector<int>{1});
  EXPECT_EQ(found.added.front().device_id, 7);
  EXPECT_TRUE(found.moved.empty());
}

TEST(Diff, NamesOtherAddressesDeviceNumbersPodsAndStatus) {
  Table other = base();
  other.servers[0].devices[1].device_ip = "10.0.0.7";
  other.servers[1].devices[1].super_device_id = "";
  other.super_pods = {{"a", {{"s0"}}}, {"b", {{"s1"}}}};
  other.status = "initializing";
  const Diff found = diff(base(), other);
  EXPECT_EQ(ranks(found.address_changed), (Pairs{{1, 1}}));
  EXPECT_EQ(found.address_changed.front().before.device_ip, "10.0.0.2");
  EXPECT_EQ(found.address_changed.front().after.device_ip, "10.0.0.7");
  EXPECT_EQ(ranks(found.super_device_changed), (Pairs{{3, 3}}));
  ASSERT_EQ(found.pod_changed.size(), 1U);
  EXPECT_EQ(found.pod_changed.front().before.super_pod_id, "a");
  EXPECT_EQ(found.pod_changed.front().after.super_pod_id, "b");
  ASSERT_EQ(found.status.size(), 1U);
  EXPECT_EQ(found.status.front().second, "initializing");
  EXPECT_TRUE(found.moved.empty() && found.removed.empty() && found.added.empty());
}

// The ranks of the whole table stay what they were.
TEST(Diff, NamesADeviceThatIsInAnotherGroup) {
  const Table ranks = cluster(2, 2);
  const ServerGroupTable before = group_ranks(ranks, {{"1", {0, 1}}, {"2", {2, 3}}}, "");
  const ServerGroupTable after = group_ranks(ranks, {{"1", {0, 1, 2}}, {"2", {3}}}, "");
  EXPECT_TRUE(is_same(diff(ranks_of(before), ranks_of(after))));
  Diff wanted;
  wanted.group_changed = {{rows(ranks)[2], "2", "1"}};
  EXPECT_EQ(diff(before, after), wanted);
  EXPECT_TRUE(is_same(diff(before, before)));
}

// A device that goes to another group is told as such, its server's addresses are not.
TEST(Diff, FindsAddressesOfServersAndNumberingsOfGroups) {
  const ServerGroupTable before = server_group(4, 2);
  ServerGroupTable after = before;
  EXPECT_TRUE(is_same(diff(before, after)));
  after.groups[0].servers[0].server_ip = "10.0.0.98";
  after.groups[1].servers[0].server_ip = "10.9.0.1";
  after.groups[1].servers[1].container_ip = "";
  for (GroupServer& server : after.groups[2].servers)
    for (std::size_t i = 0; i < server.devices.size(); ++i) server.devices[i].rank_id = static_cast<int>(i);
  Diff wanted;
  wanted.group_fields = {{"0", "", "server_ip", "10.0.0.99", "10.0.0.98"},
                         {"1", "10.0.0.1", "server_ip", "10.0.0.1", "10.9.0.1"},
                         {"1", "10.0.0.2", "container_ip", "10.0.0.2", ""},
                         {"2", "", "ranks", "through the group", "in each server"}};
  EXPECT_EQ(diff(before, after), wanted);
  after = before;
  after.groups.erase(after.groups.begin());
  wanted.group_fields = {{"0", "", "server_ip", "10.0.0.99", ""}};
  EXPECT_EQ(diff(before, after), wanted);
}

}  // namespace
}  // namespace adarun::ranktable
