// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "launcher/agent/ranks/descendants.h"
#include "launcher/agent/watchdog/watchdog.h"
#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

// A rank and a process in a session of its own, both of which ignore TERM.
const std::string family = "trap '' TERM; setsid sh -c 'echo far=$$ ready; exec sleep 1000' & wait";

struct Running {
  pid_t agent = 0;
  pid_t far = 0;
};

Running running(AgentProcess& agent, const protocol::Start& start) {
  const auto hello = agent.take<protocol::Hello>();
  agent.send(start);
  if (!hello || !agent.await_output(0, "ready")) return {};
  return {static_cast<pid_t>(hello->pid), pid_in(agent.output(0), "far")};
}

using Watchdog = AgentTest;

TEST_F(Watchdog, EndsAndRemovesWhatAKilledAgentLeaves) {
  const protocol::Start start = folder_.shell(family);
  const Running found = running(agent_, start);
  ASSERT_GT(found.far, 0);
  ::kill(found.agent, SIGKILL);
  EXPECT_EQ(agent_.wait(), 128 + SIGKILL);
  EXPECT_TRUE(is_gone(found.far));
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
}

TEST_F(Watchdog, KilledHasItsAgentEndWhatRanksHaveStarted) {
  protocol::Start start = folder_.shell(family);
  start.grace_ms = 100;
  const Running found = running(agent_, start);
  ASSERT_GT(found.far, 0);
  ::kill(agent_.pid(), SIGKILL);
  EXPECT_EQ(agent_.wait(), 128 + SIGKILL);
  EXPECT_TRUE(is_gone(found.far));
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
}

TEST_F(Watchdog, EndsAnAgentThatStandsStill) {
  protocol::Start start = folder_.shell(family);
  start.lease_ms = 1000;
  const Running found = running(agent_, start);
  ASSERT_GT(found.far, 0);
  ::kill(found.agent, SIGSTOP);
  EXPECT_EQ(agent_.wait(), 128 + SIGKILL);
  EXPECT_TRUE(is_gone(found.agent));
  EXPECT_TRUE(is_gone(found.far));
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
}

// How many processes run this program and are not exiting.
std::size_t running_copies(const std::string& program) {
  std::size_t count = 0;
  for (const Process& process : running_processes()) {
    std::error_code error;
    const auto exe = std::filesystem::read_symlink("/proc/" + std::to_string(process.pid) + "/exe", error);
    if (!error && exe == program) ++count;
  }
  return count;
}

TEST(IsHung, WaitsForAnAgentThatLacksAProcessorAndForNoOtherLateOne) {
  using std::chrono::seconds;
  constexpr std::uint64_t before_ns = 7'000'000'000;
  constexpr std::uint64_t quarter_ns = 3'000'000'000;  // Of 12 seconds.
  struct Case {
    const char* name;
    RunState agent;
    seconds silence;
    bool is_hung;
  };
  const Case cases[] = {{"waits for a processor", {'R', before_ns}, seconds{12}, false},
                        {"has just got one", {'R', before_ns + 400'000'000}, seconds{12}, false},
                        {"gets little of one", {'R', before_ns + quarter_ns - 1}, seconds{12}, false},
                        {"waited too long", {'R', before_ns}, seconds{60}, true},
                        {"runs without end", {'R', before_ns + quarter_ns}, seconds{12}, true},
                        {"stopped", {'T', before_ns}, seconds{12}, true},
                        {"waits in the kernel", {'D', before_ns}, seconds{12}, true},
                        {"sleeps", {'S', before_ns}, seconds{12}, true},
                        {"unknown", {}, seconds{12}, true}};
  for (const Case& each : cases)
    EXPECT_EQ(is_hung(each.agent, before_ns, each.silence, seconds{60}), each.is_hung) << each.name;
}

TEST_F(Watchdog, EndsWhatForksFasterThanItIsFoundAndRemovesItsGroup) {
  const std::string place = place_of_groups();
  if (place.empty()) GTEST_SKIP() << "no control group of version 2 that we may write to";
  const std::string comet = folder_.path() / "comet";  // The name differs from those that other tests run.
  std::filesystem::copy_file(COMET, comet);
  const protocol::Start start = folder_.start({{comet}});
  const auto hello = agent_.take<protocol::Hello>();
  ASSERT_TRUE(hello);
  agent_.send(start);
  ASSERT_TRUE(agent_.await_output(0, "ready\n"));
  ::kill(static_cast<pid_t>(hello->pid), SIGKILL);
  EXPECT_EQ(agent_.wait(), 128 + SIGKILL);
  EXPECT_EQ(running_copies(comet), 0U);
  EXPECT_FALSE(has_group_of(start.job_id));
}

}  // namespace
}  // namespace adarun::launcher::agent
