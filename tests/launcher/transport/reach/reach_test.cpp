// SPDX-License-Identifier: Apache-2.0
// What the ways to reach nodes say and find, without connecting.
#include "launcher/transport/reach/reach.h"

#include <gtest/gtest.h>

#include "launcher/transport/command/command_reach.h"
#include "launcher/transport/local/local_reach.h"
#include "launcher/transport/slurm/slurm_reach.h"
#include "launcher/transport/ssh/ssh_reach.h"
#include "tests/launcher/error_of.h"

namespace adarun::launcher {
namespace {

using Texts = std::vector<std::string>;

const std::vector<Host> unknown_and_known{{"nowhere.invalid", {0}, "", 0}, {"127.0.0.9", {0}, "ada", 22}};
const HostPlace behind_gates{"ada", 22, "10.0.0.1", "", {"gate", "inner"}, {}};
const HostPlace not_found{"ada", 2222, "", "cannot resolve this name", {}, {}};

std::shared_ptr<const Reach> reach_by(std::vector<std::string> words) {
  return command_reach({"exec", std::move(words)});
}

TEST(Reach, SaysHowNodesAreReached) {
  const auto command = reach_by({"/usr/bin/on", "{host}"});
  EXPECT_EQ(
      (Texts{ssh_reach()->text({}), slurm_reach()->text({}), command->text({}), local_reach()->text({})}),
      (Texts{"over SSH, at most 64 at once", "by srun", "by /usr/bin/on, at most 64 at once", ""}));
  const Host host{"node1", {0}, "", 0};
  EXPECT_EQ(ssh_reach()->text_of(host, behind_gates, {}), "ssh -J gate,inner -p 22 ada@10.0.0.1");
  EXPECT_EQ(ssh_reach()->text_of(host, not_found, {}), "ssh -p 2222 ada@? (cannot resolve this name)");
  EXPECT_EQ(slurm_reach()->text_of(host, {}, {}), "srun --nodelist=node1");
  EXPECT_EQ(command->text_of(host, {}, {}), "by /usr/bin/on node1");
  EXPECT_EQ(local_reach()->text_of(host, {}, {}), "on this machine");
}

TEST(Reach, WarnsOfTwoHostsThatAreOneMachine) {
  const std::vector<Host> hosts{{"a", {0}, "", 0}, {"b", {0}, "", 0}, {"c", {0}, "", 0}, {"d", {0}, "", 0}};
  Targets targets;
  const HostPlace place{"ada", 22, "10.0.0.1", "", {}, {}};
  targets.places = {place, place, place, behind_gates};
  targets.places[1].user = "me";
  targets.places[2].port = 2222;
  base::Log log("test");
  Texts said;
  log.divert([&said](const std::string& line) { said.push_back(line); });
  log_targets(hosts, targets, &log);
  ASSERT_EQ(said.size(), 1U) << "another port is another container, and another way another machine";
  EXPECT_TRUE(said[0].ends_with("a and b are one machine (10.0.0.1 port 22): their ranks share its devices"))
      << said[0];
}

TEST(Reach, RefusesOrKeepsHostsThatAreUnknown) {
  for (const auto& reach : {ssh_reach(), slurm_reach()}) {
    ReachOptions options;
    options.ssh.config_file = no_ssh_config;
    const Targets kept = reach->locate(unknown_and_known, options);
    EXPECT_EQ(kept.addresses, (Texts{"", "127.0.0.9"})) << reach->name();
    EXPECT_NE(kept.places[0].reason, "") << reach->name();
    EXPECT_EQ(kept.places[1].port, reach->name() == "ssh" ? 22 : 0);
    const std::string why =
        error_of([&] { reach->locate(unknown_and_known, options, Reach::Unknown::refused); });
    EXPECT_TRUE(why.starts_with("nowhere.invalid: ")) << reach->name() << why;
  }
}

TEST(CommandReach, HasTheNameForTheAddressOfAHostThatIsNotKnownHere) {
  const Targets targets = reach_by({"on", "{host}"})->locate(unknown_and_known, {}, Reach::Unknown::refused);
  EXPECT_EQ(targets.addresses, (Texts{"nowhere.invalid", "127.0.0.9"}));
  EXPECT_EQ(targets.places[0].reason, "");
  EXPECT_EQ(targets.places[1].port, 0) << "without SSH";
}

TEST(CommandReach, SaysOfEachHostWhatTheListSaysElseTheOptions) {
  const auto reach =
      reach_by({"on", "{host}", "{user}", "{port}", "{identity}", "{ssh-config}", "{host-key}"});
  ReachOptions options;
  options.ssh = {"config", "key", "ada", 2222, HostKey::accept_new};
  EXPECT_EQ(reach->text_of({"a", {0}, "", 0}, {}, options), "by on a ada 2222 key config accept-new");
  EXPECT_EQ(reach->text_of({"b", {0}, "eve", 22}, {}, {}), "by on b eve 22");
}

TEST(CommandReach, RefusesAHostThatCouldBeAnOption) {
  EXPECT_THROW(reach_by({"on", "{host}"})->require({{"-x", {0}, "", 0}}, {}), Error);
}

TEST(LocalReach, TakesAllHostsForThisMachine) {
  const Targets targets = local_reach()->locate(unknown_and_known, {}, Reach::Unknown::refused);
  EXPECT_EQ(targets.addresses, (Texts{"127.0.0.1", "127.0.0.1"}));
  EXPECT_EQ(targets.places[1], (HostPlace{"", 0, "127.0.0.1", "", {}, {}})) << "without SSH";
}

}  // namespace
}  // namespace adarun::launcher
