// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/spares.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "launcher/hosts/read.h"

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

}  // namespace
}  // namespace adarun::cli
