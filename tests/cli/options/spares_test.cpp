// SPDX-License-Identifier: Apache-2.0
#include "cli/options/spares.h"

#include <gtest/gtest.h>

#include <memory>

#include "cli/options/command.h"
#include "cli/options/placement.h"
#include "launcher/hosts/read.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {
namespace {

using Names = std::vector<std::string>;

Names names_in(const std::vector<launcher::Host>& hosts) {
  Names names;
  for (const launcher::Host& host : hosts) names.push_back(host.name);
  return names;
}

std::string refusal_of(const std::string& hosts, const std::string& spares) {
  try {
    hold_back(launcher::read_hosts(hosts), spares);
  } catch (const Quit& quit) {
    return quit.what();
  }
  return "";
}

TEST(Spares, AreTheLastHostsOfTheList) {
  const HostsAndSpares parts = hold_back(launcher::read_hosts("node[1-4]:2"), "1");
  EXPECT_EQ(names_in(parts.hosts), (Names{"node1", "node2", "node3"}));
  EXPECT_EQ(names_in(parts.spares), Names{"node4"});
}

TEST(Spares, AreTakenFromTheListOrStandBesideIt) {
  const HostsAndSpares parts = hold_back(launcher::read_hosts("node[1-3]:2"), "node2,gpu9");
  EXPECT_EQ(names_in(parts.hosts), (Names{"node1", "node3"}));
  EXPECT_EQ(names_in(parts.spares), (Names{"node2", "gpu9"}));
  EXPECT_EQ(parts.spares[0].devices.size(), 2U) << "as in the list";
}

TEST(Spares, LeaveHostsToRunOn) {
  EXPECT_NE(refusal_of("node[1-2]:2", "2").find("none would be left"), std::string::npos);
  EXPECT_NE(refusal_of("node[1-2]:2", "node1,node2").find("no host is left"), std::string::npos);
  EXPECT_NE(refusal_of("node1", "node[").find("--spare"), std::string::npos);
}

TEST(PlaceOn, MakesTheTableOfTheHostsThatAreLeft) {
  JobPlacement first;
  first.hosts = launcher::read_hosts("node[1-3]:2");
  first.table = launcher::table_of(first.hosts);
  const JobPlacement placement = place_on(launcher::read_hosts("node1:2,node9:2"), first, false);
  ASSERT_EQ(placement.table.servers.size(), 2U);
  EXPECT_EQ(placement.table.servers[1].server_id, "node9");
  EXPECT_EQ(placement.table.servers[1].devices[0].rank_id, 2);
}

TEST(PlaceOn, TakesAsManyRanksAsAdaSumDoes) {
  JobPlacement first;
  first.hosts = launcher::read_hosts("node[1-4]:8");
  const JobPlacement placement = place_on(launcher::read_hosts("node[1-3]:8"), first, true);
  EXPECT_EQ(names_in(placement.hosts), (Names{"node1", "node2"}));
  EXPECT_THROW(place_on(launcher::read_hosts("node1:8"), first, true), Quit);
}

TEST(PlaceOn, TakesAsManyRanksOfATableAsAdaSumDoesThoughAListCountsNoDevices) {
  const std::vector<launcher::Host> of_table = launcher::read_hosts("node[1-4]:8");
  JobPlacement first;
  first.hosts = launcher::read_hosts("node[1-4]");
  first.table = launcher::table_of(of_table);
  first.whole_table = std::make_shared<const ranktable::AnyTable>(first.table);
  for (const launcher::Host& host : of_table) first.server_of_host.emplace(host.name, host.name);
  const JobPlacement placement = place_on(launcher::read_hosts("node[1-3]"), first, true);
  EXPECT_EQ(names_in(placement.hosts), (Names{"node1", "node2"}));
  EXPECT_EQ(ranktable::device_count(placement.table), 16U);
}

}  // namespace
}  // namespace adarun::cli
