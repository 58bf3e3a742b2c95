// SPDX-License-Identifier: Apache-2.0
// A job is stopped together with its launcher.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

bool is_stopped(pid_t pid) {
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), text, '\0');
  return text.find(") T ") != std::string::npos;
}

// A signal that was sent may not have been delivered yet.
bool comes_to(bool stopped, pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (is_stopped(pid) != stopped && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return is_stopped(pid) == stopped;
}

using Suspend = AgentTest;

TEST_F(Suspend, StopsEveryProcessOfTheJobAndHasThemGoOn) {
  agent_.send(
      folder_.shell("setsid sh -c 'echo far=$$; exec sleep 1000' & sleep 1000 & echo child=$! me=$$; wait"));
  ASSERT_TRUE(agent_.await_output(0, "far="));
  ASSERT_TRUE(agent_.await_output(0, "me="));
  ASSERT_TRUE(agent_.await_output(0, "\n"));
  agent_.send(protocol::Suspend{true});
  EXPECT_EQ(agent_.take<protocol::Suspend>(), protocol::Suspend{true});
  for (const char* name : {"far", "child", "me"}) {
    ASSERT_GT(pid_in(agent_.output(0), name), 0) << agent_.output(0);
    EXPECT_TRUE(comes_to(true, pid_in(agent_.output(0), name))) << name;
  }
  agent_.send(protocol::Suspend{false});
  EXPECT_EQ(agent_.take<protocol::Suspend>(), protocol::Suspend{false});
  for (const char* name : {"far", "child", "me"})
    EXPECT_TRUE(comes_to(false, pid_in(agent_.output(0), name))) << name;
}

TEST_F(Suspend, CountsNoLeaseWhileTheLauncherStandsStill) {
  protocol::Start start = folder_.shell("sleep 1000");
  start.lease_ms = 1;
  agent_.send_bytes(protocol::encode(start) + protocol::encode(protocol::Suspend{true}));
  EXPECT_EQ(agent_.take<protocol::Suspend>(), protocol::Suspend{true});
  agent_.send(protocol::Suspend{false});
  EXPECT_EQ(agent_.take<protocol::Suspend>(), protocol::Suspend{false}) << "it has not ended before";
  expect_failure("lease");
}

TEST_F(Suspend, EndsWhatRunsWhenTheLauncherDiesMeanwhile) {
  agent_.send(folder_.shell("echo me=$$; exec sleep 1000"));
  ASSERT_TRUE(agent_.await_output(0, "\n"));
  agent_.send(protocol::Suspend{true});
  ASSERT_TRUE(agent_.take<protocol::Suspend>());
  agent_.close_input();
  agent_.wait();
  EXPECT_TRUE(is_gone(pid_in(agent_.output(0), "me")));
}

}  // namespace
}  // namespace adarun::launcher::agent
