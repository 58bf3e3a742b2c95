// SPDX-License-Identifier: Apache-2.0
// One agent runs one attempt after the other.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

protocol::Start attempt(const JobFolder& folder, const std::string& name, const std::string& script) {
  protocol::Start start = folder.shell(script);
  start.scratch += "-" + name;
  start.job_id += "-" + name;
  start.stays = true;
  return start;
}

using Attempts = AgentTest;

TEST_F(Attempts, FollowEachOtherInOneProcessAndOneConversation) {
  ASSERT_TRUE(agent_.take<protocol::Hello>());
  for (int number = 0; number < 3; ++number) {
    const protocol::Start start = attempt(folder_, std::to_string(number), "echo run; exit 3");
    agent_.send(start);
    ASSERT_TRUE(agent_.take<protocol::Exited>()) << number;
    ASSERT_TRUE(agent_.take<protocol::Ended>()) << number;
    EXPECT_FALSE(std::filesystem::exists(start.scratch));
    const auto hello = agent_.take<protocol::Hello>();
    ASSERT_TRUE(hello) << number;
  }
  EXPECT_EQ(agent_.output(0), "run\nrun\nrun\n");
  agent_.send(protocol::Stop{true});
  ASSERT_TRUE(agent_.take<protocol::Done>());
  EXPECT_EQ(agent_.wait(), 0);
}

TEST_F(Attempts, KeepTheProcessOfTheAgent) {
  const auto first = agent_.take<protocol::Hello>();
  agent_.send(attempt(folder_, "0", "true"));
  const auto second = agent_.take<protocol::Hello>();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->pid, second->pid);
  EXPECT_EQ(first->version, second->version);
}

TEST_F(Attempts, AreEndedByStopAndFollowedByOthers) {
  ASSERT_TRUE(agent_.take<protocol::Hello>());
  agent_.send(attempt(folder_, "0", "echo me=$$; exec sleep 1000"));
  ASSERT_TRUE(agent_.await_output(0, "\n"));
  agent_.send(protocol::Stop{});
  ASSERT_TRUE(agent_.take<protocol::Ended>());
  EXPECT_TRUE(is_gone(pid_in(agent_.output(0), "me")));
  ASSERT_TRUE(agent_.take<protocol::Hello>());
  agent_.send(attempt(folder_, "1", "echo again"));
  EXPECT_TRUE(agent_.await_output(0, "again\n"));
}

TEST_F(Attempts, AreNotEndedByAStopToTheOneBefore) {
  agent_.send(attempt(folder_, "0", "exit 3"));
  ASSERT_TRUE(agent_.await<protocol::Ended>());  // The launcher says Stop as soon as a rank has failed.
  agent_.send(protocol::Stop{});
  agent_.send(attempt(folder_, "1", "echo again"));
  EXPECT_TRUE(agent_.await_output(0, "again\n"));
}

TEST_F(Attempts, TakeNoInputForARankOfTheOneBefore) {
  agent_.send(attempt(folder_, "0", "exit 3"));
  ASSERT_TRUE(agent_.await<protocol::Ended>());
  agent_.send(protocol::Input{0, "late", true});
  agent_.send(attempt(folder_, "1", "echo again"));
  EXPECT_TRUE(agent_.await_output(0, "again\n"));
}

TEST_F(Attempts, LoseNoMessageThatComesWhileOneAgentReplacesTheOther) {
  agent_.send(attempt(folder_, "0", "true"));
  ASSERT_TRUE(agent_.take<protocol::Exited>());
  for (std::uint64_t sequence = 1; sequence <= 1000; ++sequence) agent_.send(protocol::Ping{sequence});
  ASSERT_TRUE(agent_.await<protocol::Pong>([](const protocol::Pong& pong) { return pong.sequence == 1000; }));
  ASSERT_TRUE(agent_.await<protocol::Ended>());
}

TEST(ResumableAttempts, WaitUntilTheLauncherHasWhatItMaySendAgain) {
  JobFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  AgentProcess agent;
  ASSERT_TRUE(agent.take<protocol::Hello>());
  protocol::Start start = attempt(folder, "0", "true");
  start.resumable = true;
  agent.send(start);
  ASSERT_TRUE(agent.take<protocol::Ended>());
  agent.send(protocol::Received{agent.position()});
  ASSERT_TRUE(agent.await<protocol::Hello>());
  EXPECT_FALSE(std::filesystem::exists(start.scratch)) << "the socket of the first attempt goes with it";
  start = attempt(folder, "1", "echo again; sleep 1000");
  start.resumable = true;
  agent.send(start);
  EXPECT_TRUE(agent.await_output(0, "again\n"));
  ::kill(static_cast<pid_t>(agent.await<protocol::Hello>()->pid), SIGKILL);  // It would wait to be met again.
  EXPECT_EQ(agent.wait(), 128 + SIGKILL);
}

TEST_F(Attempts, EndAtOnceWhenTheLeaseIsOver) {
  protocol::Start start = attempt(folder_, "0", "trap '' TERM; echo me=$$; while :; do sleep 1000; done");
  start.lease_ms = 300;
  start.grace_ms = 600'000;
  agent_.send(start);
  ASSERT_TRUE(agent_.await_output(0, "\n"));
  ASSERT_TRUE(agent_.await<protocol::Failed>());
  EXPECT_NE(agent_.wait(), 0);
  EXPECT_TRUE(is_gone(pid_in(agent_.output(0), "me")));
}

TEST_F(Attempts, EndWithAnAgentThatIsToldToEnd) {
  agent_.send(attempt(folder_, "0", "exec sleep 1000"));
  const auto hello = agent_.take<protocol::Hello>();
  ASSERT_TRUE(hello && agent_.take<protocol::Started>());
  ::kill(static_cast<pid_t>(hello->pid), SIGTERM);
  EXPECT_TRUE(agent_.take<protocol::Done>());
  EXPECT_EQ(agent_.wait(), 1);
}

}  // namespace
}  // namespace adarun::launcher::agent
