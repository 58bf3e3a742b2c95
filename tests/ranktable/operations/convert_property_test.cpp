// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "ranktable/model/error.h"
#include "ranktable/operations/convert.h"
#include "ranktable/validate.h"
#include "tests/ranktable/random_tables.h"

namespace adarun::ranktable {
namespace {

using Random = std::mt19937;

int number(Random& random, int first, int last) {
  return std::uniform_int_distribution<int>(first, last)(random);
}

// A valid table: up to 6 servers of up to 8 devices, ranks in any order, with addresses or without.
Table random_table(Random& random) {
  const bool plain = number(random, 0, 1) == 0;
  Table table;
  int count = 0;
  for (int i = number(random, 1, 6); i > 0; --i) {
    Server& server = table.servers.emplace_back();
    server.server_id = "10.0.0." + std::to_string(i * 7);
    server.host_nic_ip = "reserve";
    for (int device = number(random, 0, 7); device < 8; device += number(random, 1, 4), ++count)
      server.devices.push_back({device, plain ? "" : "192.168.0." + std::to_string(count), count});
    std::shuffle(server.devices.begin(), server.devices.end(), random);
  }
  std::vector<int> ranks(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
  std::shuffle(ranks.begin(), ranks.end(), random);
  for (Server& server : table.servers)
    for (Device& device : server.devices) {
      device.rank_id = ranks.back();
      ranks.pop_back();
    }
  return table;
}

using Card = std::tuple<std::string, int, std::string>;

std::map<int, Card> cards_by_rank(const AnyTable& any) {
  const Table table = ranks_of(any);
  std::map<int, Card> cards;
  for (const Server& server : table.servers)
    for (const Device& device : server.devices)
      cards[device.rank_id] = {server.server_id, device.device_id, device.device_ip};
  return cards;
}

TEST(ConvertProperty, KeepsRanksThereAndBackBetweenAllSchemas) {
  Random random(20261);
  for (int round = 0; round < 100; ++round) {
    // The order of a cloud table is one that every schema can represent.
    CloudTable start;
    start.groups = {{"group0", {}}};
    for (const Server& server : random_table(random).servers) {
      CloudInstance& pod = start.groups[0].instances.emplace_back();
      pod = {server.server_id, server.server_id, {}};
      for (const Device& device : server.devices) pod.devices.push_back({device.device_id, device.device_ip});
    }
    for (const Schema from : all_schemas) {
      const AnyTable source = convert(start, from).table;
      for (const Schema to : all_schemas) {
        const Converted there = convert(source, to);
        EXPECT_EQ(schema_of(there.table), to);
        EXPECT_EQ(cards_by_rank(there.table), cards_by_rank(start)) << name(from) << " to " << name(to);
        const AnyTable back = convert(there.table, from).table;
        EXPECT_EQ(cards_by_rank(back), cards_by_rank(start)) << name(from) << " by " << name(to);
      }
    }
  }
}

TEST(ConvertProperty, KeepsRanksInAnyOrderOrRefuses) {
  Random random(20262);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    const Table table = random_table(random);
    for (const Schema to : all_schemas) {
      try {
        EXPECT_EQ(cards_by_rank(convert(table, to).table), cards_by_rank(table)) << name(to);
      } catch (const Error&) {
        EXPECT_EQ(to, Schema::cloud);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

// Except for values that only the hardware knows: numbers of super devices, and addresses of plain tables.
TEST(ConvertProperty, WritesValidTables) {
  Random random(20265);
  for (int round = 0; round < 100; ++round) {
    Table table = random_table(random);
    int rank = 0;
    for (Server& server : table.servers)
      for (Device& device : server.devices) {
        device.rank_id = rank++;
        device.device_ip = "192.168.1." + std::to_string(rank);
        device.super_device_id = std::to_string(rank);
      }
    for (const Schema from : {Schema::v1_0, Schema::v1_2, Schema::v2_0, Schema::lab, Schema::server_group}) {
      const AnyTable source = convert(table, from).table;
      for (const Schema to : {Schema::v1_0, Schema::v2_0, Schema::lab, Schema::server_group})
        EXPECT_TRUE(is_valid(validate(convert(source, to).table))) << name(from) << " to " << name(to);
    }
  }
}

TEST(ConvertProperty, LosesNothingOfWhatItHasWrittenItself) {
  Random random(20263);
  for (int round = 0; round < 100; ++round) {
    const Table table = random_table(random);
    for (const Schema by : {Schema::v2_0, Schema::lab, Schema::server_group})
      EXPECT_EQ(convert(convert(table, by).table, Schema::v1_0).dropped_fields, std::vector<std::string>{})
          << name(by);
  }
}

// Addresses of servers that are in several groups, with few different ones.
ServerGroupTable random_groups(Random& random) {
  const auto address = [&random] { return "10.0.0." + std::to_string(number(random, 1, 2)); };
  ServerGroupTable table;
  table.groups.resize(2);
  for (int i = 0; i < 2; ++i) {
    ServerGroup& group = table.groups[static_cast<std::size_t>(i)];
    group.group_id = std::to_string(i + 1);
    for (int server = 1; server <= 2; ++server) {
      GroupServer& entry = group.servers.emplace_back();
      entry = {"10.0.0." + std::to_string(server), address(), number(random, 0, 2) == 0 ? "" : address()};
      entry.devices = {{i, "", server - 1, 0}};
    }
  }
  return table;
}

TEST(ConvertProperty, KeepsAddressesOfServersOrSaysThatTheyAreLost) {
  Random random(20266);
  int kept = 0;
  int lost = 0;
  for (int round = 0; round < 500; ++round) {
    const ServerGroupTable source = random_groups(random);
    const Converted done = convert_to_groups(source, {{"1", {0, 1}}, {"2", {2, 3}}}, "10.0.0.9");
    if (!done.dropped_fields.empty()) {
      ++lost;
      continue;
    }
    ++kept;
    const ServerGroupTable& result = std::get<ServerGroupTable>(done.table);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const GroupServer& before = source.groups[i].servers[j];
        const GroupServer& after = result.groups.at(i + 1).servers.at(j);
        EXPECT_EQ(after.server_ip, before.server_ip);
        EXPECT_TRUE(before.container_ip.empty() || after.container_ip == before.container_ip);
      }
  }
  EXPECT_GT(kept, 5);
  EXPECT_GT(lost, 5);
}

// Tables that follow no rule: ranks may be duplicates, addresses invalid.
TEST(ConvertProperty, KeepsTheRanksOfAnyTableOrRefuses) {
  RandomTables tables(20264);
  int kept = 0;
  for (int round = 0; round < 2000; ++round) {
    for (const Schema from : all_schemas) {
      const AnyTable source = tables.next(from);
      for (const Schema to : all_schemas) {
        try {
          EXPECT_EQ(cards_by_rank(convert(source, to).table), cards_by_rank(source));
          ++kept;
        } catch (const Error& error) {
          EXPECT_STRNE(error.what(), "");
        }
      }
    }
  }
  EXPECT_GT(kept, 1000);
}

}  // namespace
}  // namespace adarun::ranktable
