// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/job_hosts.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/launcher/error_of.h"

namespace adarun::launcher {
namespace {

using JobVariables = std::map<std::string, std::string>;

Variable set(const JobVariables& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(JobHosts, AreNoneWhereNoVariableIsSet) {
  const JobVariables none;
  EXPECT_EQ(pbs_hosts(set(none)).list, "");
  EXPECT_EQ(lsf_hosts(set(none)).list, "");
  EXPECT_EQ(pod_hosts(set(none)).list, "");
}

TEST(JobHosts, AreThoseOfTheFileThatAVariableNames) {
  const JobVariables variables{{"PBS_NODEFILE", "/var/spool/pbs/aux/7.server"},
                               {"LSB_DJOB_HOSTFILE", "hostfile"},
                               {"LSB_MCPU_HOSTS", "node1 4"},
                               {"HYDRA_HOST_FILE", "/etc/mpi/hostfile"},
                               {"VC_WORKER_HOSTS", "w-0.job"}};
  EXPECT_EQ(pbs_hosts(set(variables)).list, "/var/spool/pbs/aux/7.server");
  EXPECT_EQ(lsf_hosts(set(variables)).list, "./hostfile") << "a file, and no host of this name";
  EXPECT_EQ(pod_hosts(set(variables)).list, "/etc/mpi/hostfile");
}

TEST(JobHosts, OfLsfMayBeInAVariableAlone) {
  const JobVariables variables{{"LSB_MCPU_HOSTS", "node1 4  node2 22 "}};
  EXPECT_EQ(lsf_hosts(set(variables)).list, "node1:4,node2:0-21") << "which is no port";
  const JobVariables odd{{"LSB_MCPU_HOSTS", "node1 4 node2"}};
  EXPECT_EQ(error_of([&] { lsf_hosts(set(odd)); }),
            "LSB_MCPU_HOSTS: \"node1 4 node2\": wanted hosts and slots such as node1 8 node2 8");
}

TEST(JobHosts, AreNamedByTheirVariableWhereTheyAreWrong) {
  const auto refusal = [](const JobHosts& hosts) { return error_of([&] { read_job_hosts(hosts); }); };
  const JobVariables variables{{"PBS_NODEFILE", "/nonexistent/7"}, {"VC_WORKER_HOSTS", "a:x"}};
  EXPECT_TRUE(refusal(pbs_hosts(set(variables))).starts_with("PBS_NODEFILE: "));
  EXPECT_TRUE(refusal(pod_hosts(set(variables))).starts_with("VC_WORKER_HOSTS \"a:x\": "));
  EXPECT_EQ(read_job_hosts({"a:2,b", "LSB_MCPU_HOSTS"}).size(), 2U);
}

TEST(JobHosts, OfVolcanoAreItsWorkers) {
  const JobVariables variables{{"VC_WORKER_HOSTS", "job-worker-0.job,job-worker-1.job"}};
  EXPECT_EQ(pod_hosts(set(variables)).list, "job-worker-0.job,job-worker-1.job");
}

Allocation read(const JobVariables& variables) {
  return read_allocation(set(variables));
}

std::string refusal(const JobVariables& variables) {
  return error_of([&] { read(variables); });
}

JobVariables with(JobVariables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

const JobVariables good{{"SLURM_JOB_ID", "7"},
                        {"SLURM_JOB_NODELIST", "node[1-2],gpu9"},
                        {"SLURM_JOB_CPUS_PER_NODE", "16(x2),4"},
                        {"SLURM_TASKS_PER_NODE", "2(x2),1"}};

TEST(Allocation, HasHostsDevicesAndCpus) {
  const Allocation allocation = read(good);
  EXPECT_EQ(allocation.job_id, "7");
  EXPECT_EQ(allocation.hosts,
            (std::vector<Host>{
                {"node1", {0, 1}, {}, 0, true}, {"node2", {0, 1}, {}, 0, true}, {"gpu9", {0}, {}, 0, true}}));
  EXPECT_EQ(allocation.cpus, (std::vector<int>{16, 16, 4}));
}

TEST(Allocation, CountsGpusBeforeTasks) {
  for (const char* gpus : {"3", "a100:3", "a100:1,h100:2", "2,1"})
    for (const Host& host : read(with(good, "SLURM_GPUS_PER_NODE", gpus)).hosts)
      EXPECT_EQ(host.devices, (std::vector<int>{0, 1, 2}));
  JobVariables bare = good;
  bare.erase("SLURM_TASKS_PER_NODE");
  for (const Host& host : read(bare).hosts) EXPECT_EQ(host.devices, std::vector<int>{0});
}

TEST(Allocation, IsRefusedNamingTheVariable) {
  EXPECT_EQ(refusal({}),
            "SLURM_JOB_ID is not set: --via slurm runs inside an allocation, as in: salloc -N2 "
            "--ntasks-per-node=8 adarun launch --via slurm ./train");
  const struct {
    const char* name;
    const char* value;
    const char* why;
  } cases[] = {
      {"SLURM_JOB_NODELIST", "node[1-", "SLURM_JOB_NODELIST"},
      {"SLURM_JOB_NODELIST", "", "SLURM_JOB_NODELIST is not set"},
      {"SLURM_JOB_NODELIST", "-a,b",
       "SLURM_JOB_NODELIST: node \"-a\": wanted letters, digits and . _ - : % alone, the first none of . - "
       "%"},
      {"SLURM_JOB_NODELIST", "a,,b", "SLURM_JOB_NODELIST: \"a,,b\": a node without a name"},
      {"SLURM_JOB_CPUS_PER_NODE", "16", "SLURM_JOB_CPUS_PER_NODE: counts of 1 nodes, wanted 3"},
      {"SLURM_JOB_CPUS_PER_NODE", "16(x2",
       "SLURM_JOB_CPUS_PER_NODE: \"16(x2\": wanted counts such as 8(x2),4"},
      {"SLURM_JOB_CPUS_PER_NODE", "1(x65536),1", "SLURM_JOB_CPUS_PER_NODE: more than 65536 nodes"},
      {"SLURM_TASKS_PER_NODE", "0(x3)", "SLURM_TASKS_PER_NODE: \"0(x3)\": wanted counts"},
      {"SLURM_TASKS_PER_NODE", "2(x)", "SLURM_TASKS_PER_NODE: \"2(x)\": wanted counts"},
      {"SLURM_GPUS_PER_NODE", "a100:", "SLURM_GPUS_PER_NODE: \"a100:\": wanted counts"},
      {"SLURM_GPUS_PER_NODE", "a100:4,h100", "SLURM_GPUS_PER_NODE: \"a100:4,h100\": wanted counts"},
      {"SLURM_GPUS_PER_NODE", "a100:x,h100:2", "SLURM_GPUS_PER_NODE: \"a100:x,h100:2\": wanted counts"},
      {"SLURM_GPUS_PER_NODE", "a100:4,", "SLURM_GPUS_PER_NODE: \"a100:4,\": wanted counts"},
      {"SLURM_GPUS_PER_NODE", "a:65536,b:1", "SLURM_GPUS_PER_NODE: \"a:65536,b:1\": more than 65536"},
  };
  for (const auto& each : cases)
    EXPECT_TRUE(refusal(with(good, each.name, each.value)).starts_with(each.why))
        << refusal(with(good, each.name, each.value));
}

TEST(Allocation, IsRefusedWhereItsDevicesWouldFillTheMemory) {
  const JobVariables huge =
      with(with(good, "SLURM_JOB_NODELIST", "n[1-65536]"), "SLURM_GPUS_PER_NODE", "65536");
  EXPECT_EQ(refusal(huge),
            "SLURM_GPUS_PER_NODE, SLURM_TASKS_PER_NODE: more than 1048576 devices on all nodes");
}

TEST(Allocation, KnowsTheCpusOfSomeOfItsHosts) {
  const Allocation allocation = read(good);
  EXPECT_EQ(cpus_of(allocation, {allocation.hosts[2], allocation.hosts[0]}), (std::vector<int>{4, 16}));
  EXPECT_THROW(cpus_of(allocation, {{"node3", {0}, {}, 0, true}}), Error);
}

}  // namespace
}  // namespace adarun::launcher
