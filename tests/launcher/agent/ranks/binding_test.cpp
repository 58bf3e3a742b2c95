// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/binding.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

// Two NUMA nodes of two cores of two threads each, numbered as Intel machines do: threads 4-7 are the second
// ones of cores 0-3.
class FakeSystem {
 public:
  FakeSystem() {
    scratch_.write("node/online", "0-1\n");
    scratch_.write("node/node0/cpulist", "0-1,4-5\n");
    scratch_.write("node/node1/cpulist", "2-3,6-7\n");
    for (int core = 0; core < 4; ++core)
      for (const int cpu : {core, core + 4})
        scratch_.write("cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
                       std::to_string(core) + "," + std::to_string(core + 4) + "\n");
  }

  std::string path() const { return scratch_.path().string(); }

 private:
  test::ScratchFolder scratch_;
};

TEST(Cpus, AreListsOfNumbersAndRanges) {
  EXPECT_EQ(parse_cpus("0-2,8\n"), (Cpus{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpus("5,1-2,2"), (Cpus{1, 2, 5}));
  EXPECT_EQ(parse_cpus(""), Cpus{});
  EXPECT_EQ(parse_cpus("3,x,4"), (Cpus{3}));
  EXPECT_EQ(parse_cpus("0-99999999"), Cpus{}) << "no machine has so many";
  EXPECT_EQ(describe_cpus({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_FALSE(own_cpus().empty());
}

TEST(CpuTopology, GroupsCpusByCoreAndNumaNode) {
  const FakeSystem system;
  const CpuTopology topology = read_cpu_topology(system.path(), parse_cpus("0-7"));
  EXPECT_EQ(topology.numa_nodes, (std::vector<Cpus>{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(topology.cores, (std::vector<Cpus>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(CpuTopology, HasNothingButWhatIsAllowed) {
  const FakeSystem system;
  const CpuTopology topology = read_cpu_topology(system.path(), parse_cpus("1,4-5"));
  EXPECT_EQ(topology.numa_nodes, (std::vector<Cpus>{{1, 4, 5}}));
  EXPECT_EQ(topology.cores, (std::vector<Cpus>{{1, 5}, {4}}));
}

TEST(CpuTopology, OfAMachineThatTellsNothingIsItsCpus) {
  const CpuTopology topology = read_cpu_topology("/no/such/folder", parse_cpus("0-1"));
  EXPECT_EQ(topology.numa_nodes, (std::vector<Cpus>{{0, 1}}));
  EXPECT_EQ(topology.cores, (std::vector<Cpus>{{0}, {1}}));
}

TEST(Binding, SpreadsRanksEvenlyOverCores) {
  const FakeSystem system;
  const CpuTopology topology = read_cpu_topology(system.path(), parse_cpus("0-7"));
  const Binding two(protocol::Bind::core, topology, 2);
  EXPECT_EQ(two.of(0), (Cpus{0, 4}));
  EXPECT_EQ(two.of(1), (Cpus{2, 6})) << "the other NUMA node";
  EXPECT_EQ(two.threads_of(0), 0U);
  EXPECT_EQ(two.warning(), "");
  const Binding eight(protocol::Bind::core, topology, 8);
  EXPECT_EQ(eight.of(1), eight.of(0));
  EXPECT_EQ(eight.of(7), (Cpus{3, 7}));
  EXPECT_EQ(eight.warning(), "--bind: 8 ranks share 4 cores");
}

TEST(Binding, ToNumaNodesGivesEachRankItsShareOfThreads) {
  const FakeSystem system;
  const Binding binding(protocol::Bind::numa, read_cpu_topology(system.path(), parse_cpus("0-7")), 3);
  EXPECT_EQ(binding.of(0), (Cpus{0, 1, 4, 5}));
  EXPECT_EQ(binding.of(1), (Cpus{0, 1, 4, 5}));
  EXPECT_EQ(binding.of(2), (Cpus{2, 3, 6, 7}));
  EXPECT_EQ(binding.threads_of(0), 2U);
  EXPECT_EQ(binding.threads_of(2), 4U);
}

TEST(Binding, OfNothingLeavesRanksAlone) {
  EXPECT_TRUE(Binding().of(3).empty());
  EXPECT_EQ(Binding().warning(), "");
}

}  // namespace
}  // namespace adarun::launcher::agent
