// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/launcher/agent/agent_process.h"
#include "tests/launcher/agent/job.h"

namespace adarun::launcher::agent {
namespace {

/// While it lives, programs find a libpmix.so.2 that never says that it knows the job.
class WithStuckPmix {
 public:
  WithStuckPmix() { ::setenv("LD_LIBRARY_PATH", STUCK_PMIX_FOLDER, 1); }
  ~WithStuckPmix() { ::unsetenv("LD_LIBRARY_PATH"); }
};

protocol::Start start_with(const JobFolder& folder, protocol::Mpi mpi) {
  protocol::Start start = folder.start({{"/bin/echo", "ran"}});
  start.mpi = mpi;
  start.mpi_secret = "0123456789abcdef0123456789abcdef";
  start.lease_ms = 4000;
  return start;
}

TEST(StuckPmix, IsLeftOutWhereItWasLeftOpen) {
  const WithStuckPmix stuck;
  JobFolder folder;
  AgentProcess agent;
  agent.send(start_with(folder, protocol::Mpi::auto_));
  const auto* ready = agent.await<protocol::Ready>();
  ASSERT_NE(ready, nullptr);
  agent.send(protocol::Ping{1});  // Half of the lease is over.
  EXPECT_FALSE(ready->mpi);
  EXPECT_EQ(ready->mpi_reason, "PMIx: libpmix has not set its server up within 2 s");
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.output(0), "ran\n");
}

TEST(StuckPmix, IsRefusedWhereItWasWanted) {
  const WithStuckPmix stuck;
  JobFolder folder;
  AgentProcess agent;
  agent.send(start_with(folder, protocol::Mpi::on));
  const auto* failed = agent.await<protocol::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->message, "PMIx: libpmix has not set its server up within 2 s");
  EXPECT_EQ(agent.wait(), 1);
}

}  // namespace
}  // namespace adarun::launcher::agent
