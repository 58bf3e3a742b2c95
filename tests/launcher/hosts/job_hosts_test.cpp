// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/job_hosts.h"

#include <gtest/gtest.h>

#include <map>

#include "launcher/base/error.h"

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
  const JobVariables variables{{"LSB_MCPU_HOSTS", "node1 4  node2 8 "}};
  EXPECT_EQ(lsf_hosts(set(variables)).list, "node1:4,node2:8");
  const JobVariables odd{{"LSB_MCPU_HOSTS", "node1 4 node2"}};
  try {
    lsf_hosts(set(odd));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "LSB_MCPU_HOSTS: \"node1 4 node2\": wanted hosts and slots such as node1 8 node2 8");
  }
}

TEST(JobHosts, AreNamedByTheirVariableWhereTheyAreWrong) {
  const auto refusal = [](const JobHosts& hosts) -> std::string {
    try {
      read_job_hosts(hosts);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const JobVariables variables{{"PBS_NODEFILE", "/nonexistent/7"}, {"VC_WORKER_HOSTS", "a:x"}};
  EXPECT_TRUE(refusal(pbs_hosts(set(variables))).starts_with("PBS_NODEFILE: "));
  EXPECT_TRUE(refusal(pod_hosts(set(variables))).starts_with("VC_WORKER_HOSTS \"a:x\": "));
  EXPECT_EQ(read_job_hosts({"a:2,b", "LSB_MCPU_HOSTS"}).size(), 2U);
}

TEST(JobHosts, OfVolcanoAreItsWorkers) {
  const JobVariables variables{{"VC_WORKER_HOSTS", "job-worker-0.job,job-worker-1.job"}};
  EXPECT_EQ(pod_hosts(set(variables)).list, "job-worker-0.job,job-worker-1.job");
}

}  // namespace
}  // namespace adarun::launcher
