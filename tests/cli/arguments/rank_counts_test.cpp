// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/rank_counts.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "launcher/hosts/host_list.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

std::string ranks_taken(const std::string& list, const RankCounts& counts) {
  try {
    std::string text;
    std::vector<launcher::Host> hosts = take_nodes(launcher::parse_host_list(list), counts);
    leave_devices_to(hosts, counts);
    for (const launcher::Host& host : take_ranks(std::move(hosts), counts))
      text += host.name + ":" + std::to_string(host.devices.size()) + " ";
    return text;
  } catch (const ExitError& error) {
    EXPECT_EQ(error.status(), exit_usage);
    return error.what();
  }
}

TEST(TakeRanks, TakesTheFirstOfTheList) {
  EXPECT_EQ(ranks_taken("a:4,b:4", {}), "a:4 b:4 ");
  EXPECT_EQ(ranks_taken("a:4,b:4", {.ranks = 4}), "a:4 ");
  EXPECT_EQ(ranks_taken("a:4,b:4", {.ranks = 5}), "a:4 b:1 ");
  EXPECT_EQ(ranks_taken("a:4,b:4,c:4", {.nodes = 2}), "a:4 b:4 ");
  EXPECT_EQ(ranks_taken("a:4,b:4", {.ranks_per_node = 2}), "a:2 b:2 ");
  EXPECT_EQ(ranks_taken("a,b", {.ranks_per_node = 8}), "a:8 b:8 ");
  EXPECT_EQ(ranks_taken("a,b,c", {.ranks = 5, .ranks_per_node = 4, .nodes = 2}), "a:4 b:1 ");
}

TEST(TakeRanks, RefusesMoreThanTheListHas) {
  EXPECT_EQ(ranks_taken("a:4,b:4", {.ranks = 9}),
            "-n 9: the hosts have 8 devices (node1:8 has eight, --nproc-per-node 8 gives each node as many)");
  EXPECT_EQ(ranks_taken("a", {.nodes = 2}), "--nnodes 2: the list has 1 host");
  EXPECT_EQ(ranks_taken("a:1", {.ranks_per_node = 2}), "--nproc-per-node 2: a has 1 device in the list");
}

TEST(TakeRanks, GivesSparesAsManyPerNode) {
  const auto taken = take_ranks_of_spares(launcher::parse_host_list("a:8,b"), {.ranks_per_node = 4});
  EXPECT_EQ(taken[0].devices.size(), 4U);
  EXPECT_FALSE(taken[1].counted) << "it will have those of the node that it replaces";
  EXPECT_THROW(take_ranks_of_spares(launcher::parse_host_list("a:2"), {.ranks_per_node = 4}), ExitError);
  EXPECT_EQ(take_ranks_of_spares(launcher::parse_host_list("a:8"), {.ranks = 4})[0].devices.size(), 8U);
}

TEST(TakeRanks, SaysHowASlurmJobHasMore) {
  ASSERT_EQ(setenv("SLURM_JOB_ID", "7", 1), 0);
  EXPECT_EQ(ranks_taken("a:1", {.ranks_per_node = 4}),
            "--nproc-per-node 4: a has 1 device in the list; in a Slurm job: salloc or sbatch "
            "--ntasks-per-node=4");
  EXPECT_EQ(ranks_taken("a", {.nodes = 2}),
            "--nnodes 2: the list has 1 host; in a Slurm job: salloc or sbatch -N2");
  EXPECT_EQ(ranks_taken("a:4", {.ranks = 9}),
            "-n 9: the hosts have 4 devices (node1:8 has eight, --nproc-per-node 8 gives each node as many); "
            "in a Slurm job: salloc or sbatch -n9");
  EXPECT_EQ(ranks_taken("a:4", {.ranks = 2}), "a:2 ");
  ASSERT_EQ(setenv("SLURM_JOB_ID", "", 1), 0);
  EXPECT_EQ(ranks_taken("a", {.nodes = 2}), "--nnodes 2: the list has 1 host");
  ASSERT_EQ(unsetenv("SLURM_JOB_ID"), 0);
}

TEST(LeaveDevicesTo, MarksHostsWithoutACount) {
  std::vector<launcher::Host> hosts = launcher::parse_host_list("a,b:gpu");
  leave_devices_to(hosts, {.kind_per_node = launcher::DeviceKind::gpu});
  for (const launcher::Host& host : hosts) EXPECT_EQ(host.asked_kind, launcher::DeviceKind::gpu) << host.name;
  EXPECT_EQ(ranks_taken("a,b:2", {.kind_per_node = launcher::DeviceKind::gpu}),
            "--nproc-per-node gpu: b has its devices in the list");
  EXPECT_EQ(ranks_taken("a:cpu", {.kind_per_node = launcher::DeviceKind::any}),
            "--nproc-per-node auto: a has its devices in the list");
  ASSERT_EQ(setenv("SLURM_JOB_ID", "7", 1), 0);
  EXPECT_EQ(
      ranks_taken("node[1-2]:1", {.kind_per_node = launcher::DeviceKind::any}),
      "--nproc-per-node auto: node1 has its devices in the list; in a Slurm job: --hosts node[1-2]:auto");
  ASSERT_EQ(unsetenv("SLURM_JOB_ID"), 0);
}

TEST(RankCountOptions, TakeAKindOfDevice) {
  RankCounts counts;
  const auto add = [&](CLI::App& app) { add_rank_counts(app, counts); };
  EXPECT_EQ(refusal_of(add, {"--nproc-per-node", "auto"}), "");
  EXPECT_EQ(counts.kind_per_node, launcher::DeviceKind::any);
  EXPECT_TRUE(counts.any());
  EXPECT_EQ(list_of_this_machine(counts), "localhost:auto");
}

TEST(RankCountOptions, TakeNumbersFromOneOn) {
  RankCounts counts;
  const auto refusal = [&](const std::vector<std::string>& words) {
    return refusal_of([&](CLI::App& app) { add_rank_counts(app, counts); }, words);
  };
  EXPECT_EQ(refusal({"-n", "4", "--nproc-per-node=2", "--nnodes", "2"}), "");
  EXPECT_EQ(counts.ranks, 4);
  EXPECT_EQ(refusal({"-n", "0"}), "-n: \"0\": wanted a number from 1 to 1048576");
  EXPECT_EQ(refusal({"--nnodes", "1:4"}),
            "--nnodes: \"1:4\": wanted a number from 1 to 1048576 (--nnodes 4 --min-nodes 1: continues with "
            "fewer)");
  EXPECT_EQ(refusal({"--nproc-per-node", "xpu"}),
            "--nproc-per-node: \"xpu\": wanted a number from 1 to 4096, or auto, npu, gpu, cpu");
}

using Names = std::vector<std::string>;

Names names_in(const std::vector<launcher::Host>& hosts) {
  Names names;
  for (const launcher::Host& host : hosts) names.push_back(host.name);
  return names;
}

std::string refusal_of(const std::string& hosts, const std::string& spares) {
  return exit_message([&] { hold_back(launcher::read_hosts(hosts), spares); });
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

TEST(Spares, AreTakenFromTheListWithOrWithoutTheDomain) {
  const HostsAndSpares parts =
      hold_back(launcher::read_hosts("node1.a:2,node2.a:2,node3:2"), "node2,node3.a");
  EXPECT_EQ(names_in(parts.hosts), Names{"node1.a"});
  EXPECT_EQ(names_in(parts.spares), (Names{"node2.a", "node3"}));
  EXPECT_EQ(names_in(hold_back(launcher::read_hosts("n.a,n.b"), "n.b").hosts), Names{"n.a"});
  EXPECT_EQ(refusal_of("n.a,n.b", "n"),
            "--spare: \"n\" may be n.a or another host of the list: wanted its name with the domain");
}

TEST(Spares, LeaveHostsToRunOn) {
  EXPECT_NE(refusal_of("node[1-2]:2", "2").find("none would be left"), std::string::npos);
  EXPECT_NE(refusal_of("node[1-2]:2", "node1,node2").find("no host is left"), std::string::npos);
  EXPECT_NE(refusal_of("node1", "node[").find("--spare"), std::string::npos);
}

}  // namespace

}  // namespace adarun::cli
