// SPDX-License-Identifier: Apache-2.0
// The limits, CPUs and masks that the agent sets for ranks.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

using Cgroup = AgentTest;

TEST_F(Cgroup, HoldsARankAndIsRemovedWithTheJob) {
  if (place_of_groups().empty()) GTEST_SKIP() << "no control group of version 2 that we may write to";
  const protocol::Start start = folder_.shell("grep ^0:: /proc/self/cgroup");
  EXPECT_EQ(end_after(start), 0);
  EXPECT_NE(agent_.output(0).find("/adarun-" + start.job_id + "-0."), std::string::npos) << agent_.output(0);
  EXPECT_TRUE(agent_.output(0).ends_with("/rank0\n")) << agent_.output(0);
  EXPECT_FALSE(has_group_of(start.job_id));
}

TEST_F(Cgroup, EndsProcessesThatForkFasterThanTheyAreFound) {
  if (place_of_groups().empty()) GTEST_SKIP() << "no control group of version 2 that we may write to";
  protocol::Start start = folder_.start({{COMET}});
  start.grace_ms = 100;
  agent_.send(start);
  ASSERT_TRUE(agent_.await_output(0, "ready\n"));
  agent_.send(protocol::Stop{});
  ASSERT_NE(agent_.await<protocol::Done>(), nullptr);
  EXPECT_EQ(agent_.wait(), 0) << "1 where it had to leave some behind";
}

using Limits = AgentTest;

TEST_F(Limits, AndMaskAreGivenToEveryRank) {
  protocol::Start start = folder_.shell("umask; ulimit -Sn; ulimit -Hn");
  start.process_limits.umask = 027;
  start.process_limits.limits = {{RLIMIT_NOFILE, 100, 200}};
  EXPECT_EQ(end_after(start), 0);
  EXPECT_EQ(agent_.output(0), "0027\n100\n200\n");
}

TEST(OpenFileLimit, OfOpenFilesAreForARankThoseOfTheNodeAndForItsAgentTheMost) {
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit few{64, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  JobFolder folder;
  AgentProcess agent;
  constexpr std::uint32_t ranks = 40;
  agent.send(folder.start(std::vector<std::vector<std::string>>(ranks, {"/bin/sh", "-c", "ulimit -Sn"})));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(agent.output(rank), "64\n");
}

using Signals = AgentTest;

TEST_F(Signals, ThatAdarunWasStartedWithoutAreIgnoredByEveryRank) {
  protocol::Start start = folder_.shell("grep SigIgn /proc/self/status");
  start.process_limits.ignored = {SIGHUP, SIGQUIT};
  EXPECT_EQ(end_after(start), 0);
  EXPECT_EQ(agent_.output(0), "SigIgn:\t0000000000000005\n");
}

TEST_F(Limits, ThatTheNodeDoesNotGrantAreNamed) {
  protocol::Start start = folder_.shell("true");
  start.process_limits.limits = {
      {RLIMIT_NOFILE, ~std::uint64_t{0}, ~std::uint64_t{0}}};  // More than the kernel allows.
  agent_.send(start);
  const auto* failed = agent_.await<protocol::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->message, "rank 0: --ulimit nofile: Operation not permitted");
}

using Bind = AgentTest;

TEST_F(Bind, GivesARankItsCpusAndTellsThem) {
  protocol::Start start = folder_.shell("grep ^Cpus_allowed_list /proc/self/status; echo $ADARUN_CPUS");
  start.process_limits.bind = protocol::Bind::core;
  EXPECT_EQ(end_after(start), 0);
  const auto* started = agent_.await<protocol::Started>();
  ASSERT_NE(started, nullptr);
  ASSERT_NE(started->cpus, "");
  EXPECT_EQ(agent_.output(0), "Cpus_allowed_list:\t" + started->cpus + "\n" + started->cpus + "\n");
}

TEST_F(Bind, WarnsWhereRanksShareCores) {
  const auto one_too_many = static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF)) + 1;
  protocol::Start start = folder_.start(std::vector<std::vector<std::string>>(one_too_many, {"/bin/true"}));
  start.process_limits.bind = protocol::Bind::core;
  agent_.send(start);
  const auto* ready = agent_.await<protocol::Ready>();
  ASSERT_NE(ready, nullptr);
  EXPECT_TRUE(ready->warning.starts_with("--bind: " + std::to_string(one_too_many) + " ranks share "))
      << ready->warning;
  EXPECT_EQ(agent_.wait(), 0);
}

}  // namespace
}  // namespace adarun::launcher::agent
