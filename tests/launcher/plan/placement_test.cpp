// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/placement.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

Names names_in(const std::vector<Host>& hosts) {
  Names names;
  for (const Host& host : hosts) names.push_back(host.name);
  return names;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PlaceOn, MakesTheTableOfTheHostsThatAreLeft) {
  Placement first;
  first.hosts = read_hosts("node[1-3]:2");
  first.table = table_of(first.hosts);
  const Placement placement = place_on(read_hosts("node1:2,node9:2"), first, false);
  ASSERT_EQ(placement.table.servers.size(), 2U);
  EXPECT_EQ(placement.table.servers[1].server_id, "node9");
  EXPECT_EQ(placement.table.servers[1].devices[0].rank_id, 2);
}

TEST(PlaceOn, TakesAsManyRanksAsAdaSumDoes) {
  Placement first;
  first.hosts = read_hosts("node[1-4]:8");
  const Placement placement = place_on(read_hosts("node[1-3]:8"), first, true);
  EXPECT_EQ(names_in(placement.hosts), (Names{"node1", "node2"}));
  EXPECT_THROW(place_on(read_hosts("node1:8"), first, true), Error);
}

TEST(PlaceOn, TakesAsManyRanksOfATableAsAdaSumDoesThoughAListCountsNoDevices) {
  const std::vector<Host> of_table = read_hosts("node[1-4]:8");
  Placement first;
  first.hosts = read_hosts("node[1-4]");
  first.table = table_of(of_table);
  first.whole_table = std::make_shared<const ranktable::AnyTable>(first.table);
  for (const Host& host : of_table) first.server_of_host.emplace(host.name, host.name);
  const Placement placement = place_on(read_hosts("node[1-3]"), first, true);
  EXPECT_EQ(names_in(placement.hosts), (Names{"node1", "node2"}));
  EXPECT_EQ(ranktable::device_count(placement.table), 16U);
}

Role role(const std::string& name, Numbers ranks) {
  return {name, std::move(ranks), {"x"}};
}

Placement with_groups(std::vector<GroupRanks> groups) {
  Placement placement;
  placement.hosts = read_hosts("a:2,b:2");
  placement.table = table_of(placement.hosts);
  placement.groups = std::move(groups);
  return placement;
}

TEST(RolesOfGroups, HaveWholeGroupsOrPartsOfOne) {
  const Placement two = with_groups({{"1", 0, 2}, {"2", 2, 2}});
  require_roles_fit({role("prefill", {0, 1}), role("decode", {2, 3})}, two);
  require_roles_fit({role("all", {0, 1, 2, 3})}, two);
  require_roles_fit({role("a", {0}), role("b", {1}), role("c", {2, 3})}, two);
  require_roles_fit({role("a", {0}), role("b", {1, 2, 3})}, with_groups({}));
  const std::string why =
      "has a part of group 1 of the rank table, which has ranks 0-1, and ranks of another";
  EXPECT_EQ(error_of([&] {
              require_roles_fit({role("a", {0}), role("b", {1, 2, 3})}, two);
            }),
            "--role b: " + why);
  EXPECT_EQ(error_of([&] {
              require_roles_fit({role("a", {0, 2}), role("b", {1, 3})}, two);
            }),
            "--role a: " + why);
}

TEST(RolesOfGroups, KeepTheirRanksInAnotherAttempt) {
  const Placement first = with_groups({{"1", 0, 2}, {"2", 2, 2}});
  const Placement other = with_groups({{"1", 0, 1}, {"2", 1, 3}});
  const std::vector<Role> roles{role("prefill", {0, 1}), role("decode", {2, 3})};
  require_roles_fit(roles, first, first);
  require_roles_fit({}, other, first);
  EXPECT_EQ(error_of([&] { require_roles_fit(roles, other, first); }),
            "--role prefill: group 1 of the rank table had ranks 0-1, and would have rank 0");
}

TEST(Roles, HaveEachRankOfTheJobOnce) {
  EXPECT_EQ(error_of([] { require_roles_fit({}, 3); }), "");
  EXPECT_EQ(error_of([] { require_roles_fit({role("a", {0, 2}), role("b", {1})}, 3); }), "");
  EXPECT_EQ(error_of([] { require_roles_fit({role("a", {0})}, 2); }),
            "--role: rank 1 is in no role: each of the job's 2 ranks wants one");
}

}  // namespace
}  // namespace adarun::launcher
