// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/base/error.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/hosts/read.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {
namespace {

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
