// SPDX-License-Identifier: Apache-2.0
#include "cli/view/ask_hosts.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

const std::vector<launcher::Host> four_hosts{
    {"node1", {0}, "", 0}, {"node2", {0}, "", 0}, {"node3", {0}, "", 0}, {"gpu9", {0}, "", 0}};

TEST(RequireAll, IsContentWhereNoHostFailed) {
  EXPECT_NO_THROW(require_all(four_hosts, {"", "", "", ""}, exit_failed, "nothing was written"));
}

TEST(RequireAll, NamesEveryHostThatFailedTheSameReasonOnOneLine) {
  try {
    require_all(four_hosts, {"no route", "", "no route", "its key\nhas changed"}, exit_no,
                "nothing was written");
    ADD_FAILURE();
  } catch (const ExitError& error) {
    EXPECT_EQ(error.status(), exit_no);
    EXPECT_STREQ(error.what(),
                 "3 of 4 nodes failed; nothing was written\n"
                 "  node[1,3]: no route\n"
                 "  gpu9: its key has changed");
  }
}

TEST(RequireAll, CountsASingleNode) {
  try {
    require_all({four_hosts[0]}, {"no route"}, exit_failed, "nothing was written");
    ADD_FAILURE();
  } catch (const ExitError& error) {
    EXPECT_STREQ(error.what(), "1 of 1 node failed; nothing was written\n  node1: no route");
  }
}

TEST(SshdsOf, AreAsOtherHostsReachThem) {
  launcher::Targets targets;
  targets.addresses = {"10.0.0.1", ""};
  targets.places = {{"ada", 2222, "10.0.0.1", "", {}, {}},
                    {"ada", 22, "", "cannot resolve this name", {}, {}}};
  EXPECT_EQ(sshds_of(targets), (std::vector<std::string>{"10.0.0.1 2222", ""}));
  for (launcher::HostPlace& place : targets.places) place.port = 0;
  EXPECT_EQ(sshds_of(targets), (std::vector<std::string>{"", ""})) << "without SSH";
}

}  // namespace
}  // namespace adarun::cli
