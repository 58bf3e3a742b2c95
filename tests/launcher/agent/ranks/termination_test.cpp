// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include "launcher/agent/ranks/termination.h"
#include "tests/launcher/agent/agent_process.h"
#include "tests/launcher/agent/job.h"

namespace adarun::launcher::agent {
namespace {

// Ignores TERM, as do two processes that it starts: one in its group, one in a session of its own whose
// parent shell has ended. Prints all pids, then `ready`.
const std::string stubborn =
    "trap '' TERM; sleep 1000 & echo child=$!; "
    "setsid sh -c 'trap \"\" TERM; sleep 1001 & echo far=$!; echo ready' & wait %2; echo me=$$; echo ready; "
    "wait";

struct Family {
  pid_t me;
  pid_t child;
  pid_t far;
};

Family family_of(AgentProcess& agent) {
  EXPECT_TRUE(agent.await_output(0, "me="));
  EXPECT_TRUE(agent.await_output(0, "ready\n"));
  const std::string output = agent.output(0);
  return {pid_in(output, "me"), pid_in(output, "child"), pid_in(output, "far")};
}

void expect_all_gone(const Family& family) {
  EXPECT_GT(family.far, 0);
  EXPECT_TRUE(is_gone(family.me));
  EXPECT_TRUE(is_gone(family.child));
  EXPECT_TRUE(is_gone(family.far));
}

// An agent may wait for its launcher long after its last process has ended.
TEST(Termination, HasNothingToDoOnceNoProcessIsLeft) {
  Termination termination;
  const Clock::time_point now = Clock::now();
  termination.begin(TerminationMode::at_once, now);
  ASSERT_EQ(termination.next(), now);
  termination.finish();
  termination.begin(TerminationMode::at_once, now);
  EXPECT_EQ(termination.next(), std::nullopt);
  EXPECT_FALSE(termination.tick(now, {}));
  EXPECT_TRUE(termination.begun());
}

TEST(Exit, CarriesCodesAndSignals) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(folder.start({{"/bin/sh", "-c", "exit 7"}, {"/bin/sh", "-c", "kill -9 $$"}, {"/bin/true"}}));
  EXPECT_EQ(agent.wait(), 0);
  const auto of = [&agent](std::uint32_t rank) {
    const auto* exited =
        agent.await<protocol::Exited>([rank](const protocol::Exited& each) { return each.rank == rank; });
    return exited == nullptr ? protocol::Exited{} : *exited;
  };
  EXPECT_EQ(of(0).code, 7);
  EXPECT_EQ(of(0).signal, 0);
  EXPECT_FALSE(of(0).stopped_by_us);
  EXPECT_EQ(of(1).signal, SIGKILL);
  EXPECT_FALSE(of(1).stopped_by_us);
  EXPECT_EQ(of(2).code, 0);
  EXPECT_GT(of(2).time_ns, 0);
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(agent.seen().back()));
}

/// How a rank ends that prints "ready" and is stopped then.
protocol::Exited end_of_stopped(AgentProcess& agent, const std::string& script) {
  JobFolder folder;
  agent.send(folder.shell(script));
  EXPECT_TRUE(agent.await_output(0, "ready\n"));
  agent.send(protocol::Stop{});
  const auto* exited = agent.await<protocol::Exited>();
  const protocol::Exited end = exited == nullptr ? protocol::Exited{} : *exited;
  EXPECT_EQ(agent.wait(), 0);
  return end;
}

TEST(Stop, LetsAProgramCleanUp) {
  AgentProcess agent;
  const protocol::Exited end =
      end_of_stopped(agent, "trap 'echo saved; exit 5' TERM; echo ready; while :; do :; done");
  EXPECT_EQ(end.code, 5);
  EXPECT_TRUE(end.stopped_by_us);
  EXPECT_NE(agent.output(0).find("saved\n"), std::string::npos);
}

TEST(Stop, IsTheEndOfARankThatKillsItselfOnTerm) {
  AgentProcess agent;
  const protocol::Exited end =
      end_of_stopped(agent, "trap 'kill -9 $$' TERM; echo ready; while :; do :; done");
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_TRUE(end.stopped_by_us);
}

TEST(Stop, KillsWhateverIgnoresTermAfterTheGrace) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell(stubborn);
  start.grace_ms = 200;
  agent.send(start);
  const Family family = family_of(agent);
  agent.send(protocol::Stop{});
  ASSERT_NE(agent.await<protocol::Done>(), nullptr);
  expect_all_gone(family);
  EXPECT_EQ(agent.await<protocol::Exited>()->signal, SIGKILL);
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Stop, EscalatesWhenTheSecondOneSaysNow) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell(stubborn);
  start.grace_ms = 3'600'000;
  agent.send(start);
  const Family family = family_of(agent);
  agent.send(protocol::Stop{});
  agent.send(protocol::Stop{true});
  ASSERT_NE(agent.await<protocol::Done>(), nullptr);
  expect_all_gone(family);
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Stop, ReachesAProcessThatIsHeldBySigstop) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell("echo ready; kill -STOP $$");
  start.grace_ms = 3'600'000;
  agent.send(start);
  ASSERT_TRUE(agent.await_output(0, "ready\n"));
  agent.send(protocol::Stop{});
  const auto* exited = agent.await<protocol::Exited>();
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->signal, SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Stop, BeforeStartEndsTheAgent) {
  AgentProcess agent;
  agent.send(protocol::Stop{});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(agent.seen().back()));
}

TEST(Signal, ReachesTheProcessOfARankAndNotItsChildren) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(
      folder.shell("trap 'echo got it; kill $!; wait $!; echo child $?; exit' USR1; sleep 1000 & echo ready; "
                   "while :; do wait; done"));
  ASSERT_TRUE(agent.await_output(0, "ready\n"));
  agent.send(protocol::Signal{SIGUSR1});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.output(0), "ready\ngot it\nchild " + std::to_string(128 + SIGTERM) + "\n");
}

TEST(Signal, ThatStopsARankIsToldAndSoIsThatItContinues) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(folder.shell("echo me=$$; kill -STOP $$; echo continued; exec sleep 1000"));
  const auto halted = agent.take<protocol::Halted>();
  ASSERT_TRUE(halted);
  EXPECT_EQ(halted->signal, SIGSTOP);
  ASSERT_TRUE(agent.await_output(0, "me="));
  ::kill(pid_in(agent.output(0), "me"), SIGCONT);
  const auto continued = agent.take<protocol::Halted>();
  ASSERT_TRUE(continued);
  EXPECT_EQ(continued->signal, 0);
  ASSERT_TRUE(agent.await_output(0, "continued\n"));
  agent.send(protocol::Stop{true});
  EXPECT_EQ(agent.wait(), 0);
}

/// Of a shell: waits until the process that it has started is the program sleep.
const std::string is_sleeping = "until grep -q sleep /proc/$!/comm; do :; done; ";

TEST(Descendants, ThatOutliveEveryRankRunUntilStopAndAreNamed) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start =
      folder.shell("setsid sh -c 'trap \"\" TERM; echo far=$$; exec sleep 1000' & " + is_sleeping);
  start.grace_ms = 200;
  start.ranks[0].environment = {"RANK=0", "ADARUN_JOB_ID=j"};
  agent.send(start);
  EXPECT_EQ(agent.take<protocol::LeftRunning>(), protocol::LeftRunning{});
  EXPECT_EQ(agent.await<protocol::Exited>()->code, 0);
  const pid_t far = pid_in(agent.output(0), "far");
  EXPECT_GT(far, 0);
  EXPECT_FALSE(is_gone(far));
  agent.send(protocol::Stop{});
  ASSERT_NE(agent.await<protocol::Done>(), nullptr);
  EXPECT_TRUE(is_gone(far));
  EXPECT_EQ(agent.take<protocol::LeftRunning>(), (protocol::LeftRunning{true, 1, {{"sleep", 0}}}));
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Descendants, AreNotNamedWhereTheirRankRunsOrHasFailed) {
  JobFolder folder;
  AgentProcess agent;
  const std::string leaves = "setsid sleep 1000 <&- >&- 2>&- & " + is_sleeping;
  protocol::Start start = folder.start({{"/bin/sh", "-c", leaves + "exit 3"},
                                        {"/bin/sh", "-c", leaves + "echo ready; exec sleep 1001"},
                                        {"/bin/sh", "-c", leaves + "exit 0"}});
  for (protocol::RankSpec& spec : start.ranks)
    spec.environment = {"RANK=" + std::to_string(spec.rank), "ADARUN_JOB_ID=j"};
  agent.send(start);
  ASSERT_TRUE(agent.await_output(1, "ready\n"));
  for (const std::uint32_t rank : {0U, 2U})
    ASSERT_NE(agent.await<protocol::Exited>([rank](const auto& exited) { return exited.rank == rank; }),
              nullptr);
  agent.send(protocol::Stop{});
  EXPECT_EQ(agent.take<protocol::LeftRunning>(), (protocol::LeftRunning{true, 1, {{"sleep", 2}}}));
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Descendants, ThatEndByThemselvesAreNotWaitedFor) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(folder.shell("setsid sleep 0.3 <&- >&- 2>&- &"));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_NE(agent.await<protocol::Done>(), nullptr);
}

TEST(Lease, EndsEverythingWhenTheLauncherFallsSilent) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell(stubborn);
  start.lease_ms = 700;
  start.grace_ms = 100;
  agent.send(start);
  const Family family = family_of(agent);
  EXPECT_EQ(agent.wait(), 1);
  expect_all_gone(family);
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
}

TEST(Lease, IsRenewedByEachPing) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell("while :; do echo tick; sleep 0.1; done");
  start.lease_ms = 2'000;
  agent.send(start);
  // A ping per line of the rank: 30 of them span more than the lease.
  for (std::uint64_t line = 1; line <= 30; ++line) {
    ASSERT_TRUE(agent.take<protocol::Output>()) << "after " << line << " pings";
    agent.send(protocol::Ping{line});
    ASSERT_NE(
        agent.await<protocol::Pong>([line](const protocol::Pong& pong) { return pong.sequence == line; }),
        nullptr);
  }
  agent.send(protocol::Stop{true});
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Launcher, ThatDiesTakesEverythingAlong) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell(stubborn);
  start.grace_ms = 100;
  agent.send(start);
  const Family family = family_of(agent);
  agent.close_input();
  EXPECT_EQ(agent.wait(), 1);
  expect_all_gone(family);
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
}

TEST(Launcher, ThatNoLongerReadsTakesEverythingAlongThoughItCouldStillWrite) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell(stubborn);
  start.grace_ms = 100;
  agent.send(start);
  const Family family = family_of(agent);
  agent.close_output();
  agent.send(protocol::Ping{1});  // Its answer cannot be written.
  EXPECT_EQ(agent.wait(), 1);
  expect_all_gone(family);
}

TEST(Agent, ToldToEndBySigtermEndsEverything) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell(stubborn);
  start.grace_ms = 100;
  agent.send(start);
  const Family family = family_of(agent);
  ::kill(agent.pid(), SIGTERM);
  const auto* failed = agent.await<protocol::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(failed->message.find("Terminated"), std::string::npos) << failed->message;
  EXPECT_EQ(agent.wait(), 1);
  expect_all_gone(family);
}

TEST(Agent, SaysWhatSlurmHasToldItToEndFor) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {nullptr, "Terminated, as at the time limit of Slurm job 12 or by scancel"},
      {"1000000000", "Terminated: the time limit of Slurm job 12 is over"},
      {"9000000000", "Terminated, as by scancel of Slurm job 12"}};
  for (const auto& [end, words] : cases) {
    ::setenv("SLURM_JOB_ID", "12", 1);
    if (end != nullptr) ::setenv("SLURM_JOB_END_TIME", end, 1);
    JobFolder folder;
    AgentProcess agent;
    ::unsetenv("SLURM_JOB_ID");
    ::unsetenv("SLURM_JOB_END_TIME");
    agent.send(folder.shell("exec sleep 1000"));
    const auto hello = agent.take<protocol::Hello>();
    ASSERT_TRUE(hello && agent.take<protocol::Started>());
    ::kill(static_cast<pid_t>(hello->pid), SIGTERM);
    const auto* failed = agent.await<protocol::Failed>();
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->message, std::string("the agent was told to end: ") + words);
    EXPECT_EQ(agent.wait(), 1);
  }
}

// The launcher could reconnect within the lease, but is silent.
TEST(Agent, ToldToEndDoesNotOutstayTheLease) {
  JobFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  AgentProcess agent;
  protocol::Start start = folder.shell("echo ready; exec sleep 1000");
  start.resumable = true;
  start.lease_ms = 3'600'000;
  agent.send(start);
  ASSERT_TRUE(agent.await_output(0, "ready\n"));
  ::kill(agent.pid(), SIGTERM);
  EXPECT_EQ(agent.wait(), 1);
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "adarun/spool"));
}

// Others may start the same ranks from then on.
TEST(Agent, ToldToEndKillsItsRanksOnceTheLeaseIsOver) {
  JobFolder folder;
  AgentProcess agent;
  protocol::Start start = folder.shell("trap '' TERM; echo ready; exec sleep 1000");
  start.stays = true;
  start.lease_ms = 3000;
  start.grace_ms = 3'600'000;
  agent.send(start);
  ASSERT_TRUE(agent.await_output(0, "ready\n"));
  ::kill(agent.pid(), SIGTERM);
  EXPECT_EQ(agent.wait(), 1);
}

TEST(Agent, LeavesSignalsThatSlurmSendsToAllOfAStepToItsRanks) {
  JobFolder folder;
  AgentProcess agent;
  const auto hello = agent.take<protocol::Hello>();
  ASSERT_TRUE(hello);
  agent.send(folder.shell("echo ready; exec sleep 1000"));
  ASSERT_TRUE(agent.await_output(0, "ready\n"));
  for (const int number : {SIGUSR1, SIGUSR2})
    for (const pid_t pid : {static_cast<pid_t>(hello->pid), agent.pid()}) ::kill(pid, number);
  agent.send(protocol::Stop{});
  EXPECT_EQ(agent.wait(), 0);
}

TEST(Agent, KilledTakesItsRanksAlong) {
  JobFolder folder;
  AgentProcess agent;
  agent.send(folder.shell("trap '' TERM HUP; echo me=$$ ready; while :; do read line; done"));
  ASSERT_TRUE(agent.await_output(0, "ready"));
  const pid_t rank = pid_in(agent.output(0), "me");
  ::kill(agent.pid(), SIGKILL);
  EXPECT_EQ(agent.wait(), 128 + SIGKILL);
  EXPECT_TRUE(await_end(rank));
}

TEST(Folders, AreRemovedWithoutFollowingLinksOutOfThem) {
  JobFolder folder;
  std::filesystem::create_directories(folder.path() / "precious/inner");
  AgentProcess agent;
  protocol::Start start = folder.shell(
      "mkdir -p deep/er; touch deep/er/file .hidden; ln -s \"$P\" link;"
      "mkfifo pipe; touch \"$S/segment\"");
  start.ranks[0].workdir = start.scratch;
  start.ranks[0].environment = {"P=" + (folder.path() / "precious").string(), "S=" + start.shm_folder};
  agent.send(start);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.await<protocol::Exited>()->code, 0);
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "precious/inner"));
}

TEST(Stream, ThatIsNoneOfOursEndsEverything) {
  JobFolder folder;
  const std::vector<std::string> nonsense{
      "GET / HTTP/1.1\r\n\r\n", std::string("\1\0\0\0\377x", 6), protocol::encode(protocol::Done{}),
      protocol::encode(folder.shell("true")), protocol::encode(protocol::Signal{4711})};
  for (const std::string& bytes : nonsense) {
    JobFolder own;
    AgentProcess agent;
    protocol::Start start = own.shell(stubborn);
    start.grace_ms = 100;
    agent.send(start);
    const Family family = family_of(agent);
    agent.send_bytes(bytes);
    EXPECT_NE(agent.await<protocol::Failed>(), nullptr);
    EXPECT_EQ(agent.wait(), 1);
    expect_all_gone(family);
    EXPECT_FALSE(std::filesystem::exists(start.scratch));
  }
}

}  // namespace
}  // namespace adarun::launcher::agent
