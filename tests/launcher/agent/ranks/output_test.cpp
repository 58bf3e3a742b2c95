// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/launcher/agent/agent_process.h"
#include "tests/launcher/agent/job.h"

namespace adarun::launcher::agent {
namespace {

std::string file_content(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

/// 'S' for a process that waits, 'Z' for one that ended, ' ' for none.
char state_of(pid_t pid) {
  const std::string stat = file_content("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t at = stat.rfind(')');
  return at == std::string::npos ? ' ' : stat[at + 2];
}

long peak_kib(pid_t pid) {
  const std::string status = file_content("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::atol(status.c_str() + at + 6);
}

TEST(Output, ArrivesWhileTheProgramRuns) {
  JobFolder folder;
  // A C library that writes to a pipe would buffer this line until it exits.
  AgentProcess agent;
  agent.send(folder.start({{LINE_THEN_PAUSE}}));
  EXPECT_TRUE(agent.await_output(0, "step 1\n"));
  agent.send(protocol::Stop{true});
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Output, IsUnchangedByteForByte) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(folder.shell(
      "printf 'a\\r\\nb\\0c\\tgr\\303\\274n\\004\\003\\033[0m\\n no newline'; printf 'e\\nr' >&2"));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.output(0), std::string("a\r\nb\0c\tgr\303\274n\004\003\033[0m\n no newline", 30));
  EXPECT_EQ(agent.output(0, protocol::Stream::err), "e\nr");
}

TEST(Output, IsAllSentBeforeExited) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(
      folder.shell("i=0; while [ $i -lt 2000 ]; do echo line $i; echo err $i >&2; i=$((i+1)); done; exit 3"));
  const auto* exited = agent.await<protocol::Exited>();
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 3);
  EXPECT_NE(agent.output(0).find("line 1999\n"), std::string::npos);
  EXPECT_NE(agent.output(0, protocol::Stream::err).find("err 1999\n"), std::string::npos);
}

TEST(Output, OfAProcessThatIsLeftBehindDoesNotDelayExited) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(
      folder.start({{"/bin/sh", "-c", "sleep 1000 & echo last words; exit 4"}, {"/bin/sleep", "1000"}}));
  const auto* exited = agent.await<protocol::Exited>();
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->rank, 0U);
  EXPECT_EQ(exited->code, 4);
  EXPECT_EQ(agent.output(0), "last words\n");
  agent.send(protocol::Stop{true});
  EXPECT_EQ(agent.wait(), 0);
}

/// A rank that writes fifty megabytes, one that stays, and a launcher that reads nothing before all of them
/// block.
struct Flood {
  JobFolder folder;
  std::string content;
  AgentProcess agent;

  Flood() : content(50'000'000, '\0') {
    std::mt19937_64 random(7);
    for (std::size_t at = 0; at < content.size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t bytes = random();
      std::memcpy(&content[at], &bytes, sizeof bytes);
    }
    std::ofstream(folder.path() / "big", std::ios::binary) << content;
    agent.send(folder.start({{"/bin/cat", folder.path() / "big"}, {"/bin/sleep", "1000"}}));
    const auto* started =
        agent.await<protocol::Started>([](const protocol::Started& each) { return each.rank == 0; });
    if (started == nullptr) return;
    const auto cat = static_cast<pid_t>(started->pid);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (int still = 0; still < 100 && std::chrono::steady_clock::now() < deadline;)
      still = state_of(agent.pid()) == 'S' && state_of(cat) != 'R' ? still + 1 : 0;
    EXPECT_NE(state_of(cat), ' ') << "cat has ended though nobody read what it wrote";
  }
};

TEST(Output, OfFiftyMegabytesReachesASlowReaderWhole) {
  Flood flood;
  ASSERT_NE(flood.agent.await<protocol::Exited>(), nullptr);
  EXPECT_TRUE(flood.agent.output(0) == flood.content);
  flood.agent.send(protocol::Stop{true});
  EXPECT_EQ(flood.agent.wait(), 0);
}

TEST(Output, ThatNobodyReadsIsNotHoarded) {
  if (!std::string(AGENT_SANITIZERS).empty())
    GTEST_SKIP() << "the " AGENT_SANITIZERS " sanitizers hold on to memory after it is freed";
  Flood flood;
  ASSERT_NE(flood.agent.await<protocol::Exited>(), nullptr);
  EXPECT_LT(peak_kib(flood.agent.pid()), 32 * 1024);
  flood.agent.send(protocol::Stop{true});
  EXPECT_EQ(flood.agent.wait(), 0);
}

}  // namespace
}  // namespace adarun::launcher::agent
