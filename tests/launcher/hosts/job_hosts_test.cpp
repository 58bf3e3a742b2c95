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
  EXPECT_EQ(pbs_hosts(set(none)), "");
  EXPECT_EQ(lsf_hosts(set(none)), "");
  EXPECT_EQ(pod_hosts(set(none)), "");
}

TEST(JobHosts, AreThoseOfTheFileThatAVariableNames) {
  const JobVariables variables{{"PBS_NODEFILE", "/var/spool/pbs/aux/7.server"},
                               {"LSB_DJOB_HOSTFILE", "hostfile"},
                               {"LSB_MCPU_HOSTS", "node1 4"},
                               {"HYDRA_HOST_FILE", "/etc/mpi/hostfile"},
                               {"VC_WORKER_HOSTS", "w-0.job"}};
  EXPECT_EQ(pbs_hosts(set(variables)), "/var/spool/pbs/aux/7.server");
  EXPECT_EQ(lsf_hosts(set(variables)), "./hostfile") << "a file, and no host of this name";
  EXPECT_EQ(pod_hosts(set(variables)), "/etc/mpi/hostfile");
}

TEST(JobHosts, OfLsfMayBeInAVariableAlone) {
  const JobVariables variables{{"LSB_MCPU_HOSTS", "node1 4  node2 8 "}};
  EXPECT_EQ(lsf_hosts(set(variables)), "node1:4,node2:8");
  const JobVariables odd{{"LSB_MCPU_HOSTS", "node1 4 node2"}};
  try {
    lsf_hosts(set(odd));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "LSB_MCPU_HOSTS: \"node1 4 node2\": wanted hosts and slots such as node1 8 node2 8");
  }
}

TEST(JobHosts, OfVolcanoAreItsWorkers) {
  const JobVariables variables{{"VC_WORKER_HOSTS", "job-worker-0.job,job-worker-1.job"}};
  EXPECT_EQ(pod_hosts(set(variables)), "job-worker-0.job,job-worker-1.job");
}

}  // namespace
}  // namespace adarun::launcher
