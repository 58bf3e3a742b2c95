// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "tests/agent/agent_process.h"
#include "tests/agent/job.h"

namespace adarun::agent {
namespace {

// A rank and a process in a session of its own, neither of which takes TERM.
const std::string family = "trap '' TERM; setsid sh -c 'echo far=$$ ready; exec sleep 1000' & wait";

struct Running {
  pid_t agent = 0;
  pid_t far = 0;
};

Running running(AgentProcess& agent, const wire::Start& start) {
  const auto hello = agent.take<wire::Hello>();
  agent.send(start);
  if (!hello || !agent.await_output(0, "ready")) return {};
  return {static_cast<pid_t>(hello->pid), pid_in(agent.output(0), "far")};
}

TEST(Guardian, EndsAndRemovesWhatAKilledAgentLeaves) {
  JobFolder folder;
  AgentProcess agent;
  const wire::Start start = folder.shell(family);
  const Running found = running(agent, start);
  ASSERT_GT(found.far, 0);
  ::kill(found.agent, SIGKILL);
  EXPECT_EQ(agent.wait(), 128 + SIGKILL);
  EXPECT_TRUE(is_gone(found.far));
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
}

TEST(Guardian, EndsAnAgentThatStandsStill) {
  JobFolder folder;
  AgentProcess agent;
  wire::Start start = folder.shell(family);
  start.lease_ms = 1000;
  const Running found = running(agent, start);
  ASSERT_GT(found.far, 0);
  ::kill(found.agent, SIGSTOP);
  EXPECT_EQ(agent.wait(), 128 + SIGKILL);
  EXPECT_TRUE(is_gone(found.agent));
  EXPECT_TRUE(is_gone(found.far));
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
}

}  // namespace
}  // namespace adarun::agent
