// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

/// While it lives, programs find a libpmix.so.2 that never says that it knows the job, or never returns from
/// PMIx_server_setup_fork.
class WithStuckPmix {
 public:
  explicit WithStuckPmix(bool in_setup_fork) {
    ::setenv("LD_LIBRARY_PATH", STUCK_PMIX_FOLDER, 1);
    if (in_setup_fork) ::setenv("STUCK_IN_SETUP_FORK", "1", 1);
  }
  ~WithStuckPmix() {
    ::unsetenv("LD_LIBRARY_PATH");
    ::unsetenv("STUCK_IN_SETUP_FORK");
  }
};

class StuckPmix : public testing::WithParamInterface<bool>, private WithStuckPmix, public AgentTest {
 protected:
  StuckPmix() : WithStuckPmix(GetParam()) {}

  /// Sends the agent a job of one rank.
  void start(protocol::Mpi mpi) {
    protocol::Start start = folder_.start({{"/bin/echo", "ran"}});
    start.mpi = mpi;
    start.mpi_secret = "0123456789abcdef0123456789abcdef";
    start.lease_ms = 4000;
    agent_.send(start);
  }
};

TEST_P(StuckPmix, IsLeftOutWhereItWasLeftOpen) {
  start(protocol::Mpi::auto_);
  const auto* ready = agent_.await<protocol::Ready>();
  ASSERT_NE(ready, nullptr);
  agent_.send(protocol::Ping{1});  // Half of the lease is over.
  EXPECT_FALSE(ready->mpi);
  EXPECT_EQ(ready->mpi_reason, "PMIx: libpmix has not set its server up within 2 s");
  EXPECT_EQ(agent_.wait(), 0);
  EXPECT_EQ(agent_.output(0), "ran\n");
}

TEST_P(StuckPmix, IsRefusedWithinTheLeaseWhereItWasWanted) {
  start(protocol::Mpi::on);
  const auto* failed = agent_.await<protocol::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->message, "PMIx: libpmix has not set its server up within 2 s");
  EXPECT_EQ(agent_.wait(), 1);
}

INSTANTIATE_TEST_SUITE_P(InSetupFork, StuckPmix, testing::Bool());

}  // namespace
}  // namespace adarun::launcher::agent
