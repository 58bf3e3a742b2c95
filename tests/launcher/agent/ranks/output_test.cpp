// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>

#include "tests/launcher/agent/agent_process.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

/// 'S' for a process that waits, 'Z' for one that ended, ' ' for none.
char state_of(pid_t pid) {
  const std::string stat = test::content_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t at = stat.rfind(')');
  return at == std::string::npos ? ' ' : stat[at + 2];
}

long peak_kib(pid_t pid) {
  const std::string status = test::content_of("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::atol(status.c_str() + at + 6);
}

using Output = AgentTest;

TEST_F(Output, ArrivesWhileTheProgramRuns) {
  // A C library that writes to a pipe would buffer this line until it exits.
  agent_.send(folder_.start({{LINE_THEN_PAUSE}}));
  EXPECT_TRUE(agent_.await_output(0, "step 1\n"));
  stop();
}

TEST_F(Output, IsUnchangedByteForByte) {
  agent_.send(folder_.shell(
      "printf 'a\\r\\nb\\0c\\tgr\\303\\274n\\004\\003\\033[0m\\n no newline'; printf 'e\\nr' >&2"));
  EXPECT_EQ(agent_.wait(), 0);
  EXPECT_EQ(agent_.output(0), std::string("a\r\nb\0c\tgr\303\274n\004\003\033[0m\n no newline", 30));
  EXPECT_EQ(agent_.output(0, protocol::Stream::err), "e\nr");
}

TEST_F(Output, IsAllSentBeforeExited) {
  agent_.send(folder_.shell(
      "i=0; while [ $i -lt 2000 ]; do echo line $i; echo err $i >&2; i=$((i+1)); done; exit 3"));
  const auto* exited = agent_.await<protocol::Exited>();
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 3);
  EXPECT_NE(agent_.output(0).find("line 1999\n"), std::string::npos);
  EXPECT_NE(agent_.output(0, protocol::Stream::err).find("err 1999\n"), std::string::npos);
}

TEST_F(Output, OfAProcessThatIsLeftBehindDoesNotDelayExited) {
  agent_.send(
      folder_.start({{"/bin/sh", "-c", "sleep 1000 & echo last words; exit 4"}, {"/bin/sleep", "1000"}}));
  const auto* exited = agent_.await<protocol::Exited>();
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->rank, 0U);
  EXPECT_EQ(exited->code, 4);
  EXPECT_EQ(agent_.output(0), "last words\n");
  stop();
}

/// A rank that writes fifty megabytes, one that stays, and a launcher that reads nothing before all of them
/// block.
class Flood : public AgentTest {
 protected:
  Flood() : content_(50'000'000, '\0') {
    std::mt19937_64 random(7);
    for (std::size_t at = 0; at < content_.size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t bytes = random();
      std::memcpy(&content_[at], &bytes, sizeof bytes);
    }
    std::ofstream(folder_.path() / "big", std::ios::binary) << content_;
    agent_.send(folder_.start({{"/bin/cat", folder_.path() / "big"}, {"/bin/sleep", "1000"}}));
    const auto* started =
        agent_.await<protocol::Started>([](const protocol::Started& each) { return each.rank == 0; });
    if (started == nullptr) return;
    const auto cat = static_cast<pid_t>(started->pid);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (int still = 0; still < 100 && std::chrono::steady_clock::now() < deadline;)
      still = state_of(agent_.pid()) == 'S' && state_of(cat) != 'R' ? still + 1 : 0;
    EXPECT_NE(state_of(cat), ' ') << "cat has ended though nobody read what it wrote";
  }

  std::string content_;
};

// What nobody reads is not hoarded; sanitizers hold on to memory after it is freed.
TEST_F(Flood, ReachesASlowReaderWhole) {
  ASSERT_NE(agent_.await<protocol::Exited>(), nullptr);
  EXPECT_TRUE(agent_.output(0) == content_);
  if (std::string(AGENT_SANITIZERS).empty()) {
    EXPECT_LT(peak_kib(agent_.pid()), 32 * 1024);
  }
  stop();
}

}  // namespace
}  // namespace adarun::launcher::agent
