// SPDX-License-Identifier: Apache-2.0
#include "cli/view/ask_hosts.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

const std::vector<launcher::Host> four_hosts{
    {"node1", {0}, "", 0}, {"node2", {0}, "", 0}, {"node3", {0}, "", 0}, {"gpu9", {0}, "", 0}};

TEST(RequireAll, NamesEveryHostThatFailedTheSameReasonOnOneLine) {
  const auto failed = [](const std::vector<launcher::Host>& hosts, const std::vector<std::string>& reasons) {
    return exit_of([&] { require_all(hosts, reasons, exit_no, "nothing was written"); });
  };
  EXPECT_EQ(failed(four_hosts, {"", "", "", ""}), std::pair(exit_done, std::string()));
  EXPECT_EQ(failed(four_hosts, {"no route", "", "no route", "its key\nhas changed"}),
            std::pair(exit_no, std::string("3 of 4 nodes failed; nothing was written\n"
                                           "  node[1,3]: no route\n"
                                           "  gpu9: its key has changed")));
  EXPECT_EQ(failed({four_hosts[0]}, {"no route"}),
            std::pair(exit_no, std::string("1 of 1 node failed; nothing was written\n  node1: no route")));
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
