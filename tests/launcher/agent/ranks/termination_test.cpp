// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include "launcher/agent/ranks/termination.h"
#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

// Ignores TERM, as do two processes that it starts: one in its group, one in a session of its own whose
// parent shell has ended. Prints all pids, then `ready`.
const std::string stubborn =
    "trap '' TERM; sleep 1000 & echo child=$!; "
    "setsid sh -c 'trap \"\" TERM; sleep 1001 & echo far=$!; echo ready' & wait %2; echo me=$$; echo ready; "
    "wait";

class TerminationTest : public AgentTest {
 protected:
  /// Starts one rank, and waits until its output has `ready`.
  void start(protocol::Start start, const std::string& ready = "ready\n") {
    start_ = std::move(start);
    agent_.send(start_);
    EXPECT_TRUE(agent_.await_output(0, ready));
  }

  /// Starts the rank above, with this grace.
  void start_stubborn(std::uint32_t grace_ms, std::uint32_t lease_ms = 60'000) {
    protocol::Start start = folder_.shell(stubborn);
    start.grace_ms = grace_ms;
    start.lease_ms = lease_ms;
    this->start(start, "me=");
    EXPECT_TRUE(agent_.await_output(0, "ready\n"));
    for (const char* name : {"me", "child", "far"}) family_.push_back(pid_in(agent_.output(0), name));
  }

  void expect_all_gone() const {
    ASSERT_EQ(family_.size(), 3U);
    for (const pid_t pid : family_) {
      EXPECT_GT(pid, 0);
      EXPECT_TRUE(is_gone(pid));
    }
  }

  void expect_no_folders() const {
    EXPECT_FALSE(std::filesystem::exists(start_.scratch));
    EXPECT_FALSE(std::filesystem::exists(start_.shm_folder));
  }

  /// How a rank has ended.
  protocol::Exited end_of(std::uint32_t rank) {
    const auto* exited =
        agent_.await<protocol::Exited>([rank](const protocol::Exited& each) { return each.rank == rank; });
    EXPECT_NE(exited, nullptr);
    return exited == nullptr ? protocol::Exited{} : *exited;
  }

  protocol::Start start_;
  std::vector<pid_t> family_;
};

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

using Exit = TerminationTest;

TEST_F(Exit, CarriesCodesAndSignals) {
  EXPECT_EQ(
      end_after(folder_.start({{"/bin/sh", "-c", "exit 7"}, {"/bin/sh", "-c", "kill -9 $$"}, {"/bin/true"}})),
      0);
  EXPECT_EQ(end_of(0).code, 7);
  EXPECT_EQ(end_of(0).signal, 0);
  EXPECT_FALSE(end_of(0).stopped_by_us);
  EXPECT_EQ(end_of(1).signal, SIGKILL);
  EXPECT_FALSE(end_of(1).stopped_by_us);
  EXPECT_EQ(end_of(2).code, 0);
  EXPECT_GT(end_of(2).time_ns, 0);
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(agent_.seen().back()));
}

using Stop = TerminationTest;

TEST_F(Stop, LetsAProgramCleanUp) {
  start(folder_.shell("trap 'echo saved; exit 5' TERM; echo ready; while :; do :; done"));
  EXPECT_EQ(end_after(protocol::Stop{}), 0);
  EXPECT_EQ(end_of(0).code, 5);
  EXPECT_TRUE(end_of(0).stopped_by_us);
  EXPECT_NE(agent_.output(0).find("saved\n"), std::string::npos);
}

TEST_F(Stop, IsTheEndOfARankThatKillsItselfOnTerm) {
  start(folder_.shell("trap 'kill -9 $$' TERM; echo ready; while :; do :; done"));
  EXPECT_EQ(end_after(protocol::Stop{}), 0);
  EXPECT_EQ(end_of(0).signal, SIGKILL);
  EXPECT_TRUE(end_of(0).stopped_by_us);
}

TEST_F(Stop, KillsWhateverIgnoresTermAfterTheGrace) {
  start_stubborn(200);
  agent_.send(protocol::Stop{});
  ASSERT_NE(agent_.await<protocol::Done>(), nullptr);
  expect_all_gone();
  EXPECT_EQ(end_of(0).signal, SIGKILL);
  EXPECT_EQ(agent_.wait(), 0);
}

TEST_F(Stop, EscalatesWhenTheSecondOneSaysNow) {
  start_stubborn(3'600'000);
  agent_.send(protocol::Stop{});
  agent_.send(protocol::Stop{true});
  ASSERT_NE(agent_.await<protocol::Done>(), nullptr);
  expect_all_gone();
  EXPECT_EQ(agent_.wait(), 0);
}

TEST_F(Stop, ReachesAProcessThatIsHeldBySigstop) {
  protocol::Start held = folder_.shell("echo ready; kill -STOP $$");
  held.grace_ms = 3'600'000;
  start(held);
  EXPECT_EQ(end_after(protocol::Stop{}), 0);
  EXPECT_EQ(end_of(0).signal, SIGTERM);
}

TEST_F(Stop, BeforeStartEndsTheAgent) {
  EXPECT_EQ(end_after(protocol::Stop{}), 0);
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(agent_.seen().back()));
}

using Signal = TerminationTest;

TEST_F(Signal, ReachesTheProcessOfARankAndNotItsChildren) {
  agent_.send(folder_.shell(
      "trap 'echo got it; kill $!; wait $!; echo child $?; exit' USR1; sleep 1000 & echo ready; "
      "while :; do wait; done"));
  ASSERT_TRUE(agent_.await_output(0, "ready\n"));
  EXPECT_EQ(end_after(protocol::Signal{SIGUSR1}), 0);
  EXPECT_EQ(agent_.output(0), "ready\ngot it\nchild " + std::to_string(128 + SIGTERM) + "\n");
}

TEST_F(Signal, ThatStopsARankIsToldAndSoIsThatItContinues) {
  agent_.send(folder_.shell("echo me=$$; kill -STOP $$; echo continued; exec sleep 1000"));
  const auto halted = agent_.take<protocol::Halted>();
  ASSERT_TRUE(halted);
  EXPECT_EQ(halted->signal, SIGSTOP);
  ASSERT_TRUE(agent_.await_output(0, "me="));
  ::kill(pid_in(agent_.output(0), "me"), SIGCONT);
  const auto continued = agent_.take<protocol::Halted>();
  ASSERT_TRUE(continued);
  EXPECT_EQ(continued->signal, 0);
  ASSERT_TRUE(agent_.await_output(0, "continued\n"));
  stop();
}

/// Of a shell: waits until the process that it has started is the program sleep.
const std::string is_sleeping = "until grep -q sleep /proc/$!/comm; do :; done; ";

using Descendants = TerminationTest;

TEST_F(Descendants, ThatOutliveEveryRankRunUntilStopAndAreNamed) {
  protocol::Start start =
      folder_.shell("setsid sh -c 'trap \"\" TERM; echo far=$$; exec sleep 1000' & " + is_sleeping);
  start.grace_ms = 200;
  start.ranks[0].environment = {"RANK=0", "ADARUN_JOB_ID=j"};
  agent_.send(start);
  EXPECT_EQ(agent_.take<protocol::LeftRunning>(), protocol::LeftRunning{});
  EXPECT_EQ(agent_.await<protocol::Exited>()->code, 0);
  const pid_t far = pid_in(agent_.output(0), "far");
  EXPECT_GT(far, 0);
  EXPECT_FALSE(is_gone(far));
  agent_.send(protocol::Stop{});
  ASSERT_NE(agent_.await<protocol::Done>(), nullptr);
  EXPECT_TRUE(is_gone(far));
  EXPECT_EQ(agent_.take<protocol::LeftRunning>(), (protocol::LeftRunning{true, 1, {{"sleep", 0}}}));
  EXPECT_EQ(agent_.wait(), 0);
}

TEST_F(Descendants, AreNotNamedWhereTheirRankRunsOrHasFailed) {
  const std::string leaves = "setsid sleep 1000 <&- >&- 2>&- & " + is_sleeping;
  protocol::Start start = folder_.start({{"/bin/sh", "-c", leaves + "exit 3"},
                                         {"/bin/sh", "-c", leaves + "echo ready; exec sleep 1001"},
                                         {"/bin/sh", "-c", leaves + "exit 0"}});
  for (protocol::RankSpec& spec : start.ranks)
    spec.environment = {"RANK=" + std::to_string(spec.rank), "ADARUN_JOB_ID=j"};
  agent_.send(start);
  ASSERT_TRUE(agent_.await_output(1, "ready\n"));
  for (const std::uint32_t rank : {0U, 2U})
    ASSERT_NE(agent_.await<protocol::Exited>([rank](const auto& exited) { return exited.rank == rank; }),
              nullptr);
  agent_.send(protocol::Stop{});
  EXPECT_EQ(agent_.take<protocol::LeftRunning>(), (protocol::LeftRunning{true, 1, {{"sleep", 2}}}));
  EXPECT_EQ(agent_.wait(), 0);
}

TEST_F(Descendants, ThatEndByThemselvesAreNotWaitedFor) {
  EXPECT_EQ(end_after(folder_.shell("setsid sleep 0.3 <&- >&- 2>&- &")), 0);
  EXPECT_NE(agent_.await<protocol::Done>(), nullptr);
}

using Lease = TerminationTest;

TEST_F(Lease, EndsEverythingWhenTheLauncherFallsSilent) {
  start_stubborn(100, 700);
  EXPECT_EQ(agent_.wait(), 1);
  expect_all_gone();
  expect_no_folders();
}

TEST_F(Lease, IsRenewedByEachPing) {
  protocol::Start start = folder_.shell("while :; do echo tick; sleep 0.1; done");
  start.lease_ms = 2'000;
  agent_.send(start);
  // A ping per line of the rank: 30 of them span more than the lease.
  for (std::uint64_t line = 1; line <= 30; ++line) {
    ASSERT_TRUE(agent_.take<protocol::Output>()) << "after " << line << " pings";
    agent_.send(protocol::Ping{line});
    ASSERT_NE(
        agent_.await<protocol::Pong>([line](const protocol::Pong& pong) { return pong.sequence == line; }),
        nullptr);
  }
  stop();
}

using Launcher = TerminationTest;

TEST_F(Launcher, ThatDiesTakesEverythingAlong) {
  start_stubborn(100);
  agent_.close_input();
  EXPECT_EQ(agent_.wait(), 1);
  expect_all_gone();
  expect_no_folders();
}

TEST_F(Launcher, ThatNoLongerReadsTakesEverythingAlongThoughItCouldStillWrite) {
  start_stubborn(100);
  agent_.close_output();
  EXPECT_EQ(end_after(protocol::Ping{1}), 1) << "its answer cannot be written";
  expect_all_gone();
}

using Agent = TerminationTest;

TEST_F(Agent, ToldToEndBySigtermEndsEverything) {
  start_stubborn(100);
  ::kill(agent_.pid(), SIGTERM);
  expect_failure("Terminated");
  EXPECT_EQ(agent_.wait(), 1);
  expect_all_gone();
}

TEST(AgentOfSlurm, SaysWhatSlurmHasToldItToEndFor) {
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
TEST(AgentOfAResumableJob, ToldToEndDoesNotOutstayTheLease) {
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
TEST_F(Agent, ToldToEndKillsItsRanksOnceTheLeaseIsOver) {
  protocol::Start start = folder_.shell("trap '' TERM; echo ready; exec sleep 1000");
  start.stays = true;
  start.lease_ms = 3000;
  start.grace_ms = 3'600'000;
  agent_.send(start);
  ASSERT_TRUE(agent_.await_output(0, "ready\n"));
  ::kill(agent_.pid(), SIGTERM);
  EXPECT_EQ(agent_.wait(), 1);
}

TEST_F(Agent, LeavesSignalsThatSlurmSendsToAllOfAStepToItsRanks) {
  const auto hello = agent_.take<protocol::Hello>();
  ASSERT_TRUE(hello);
  agent_.send(folder_.shell("echo ready; exec sleep 1000"));
  ASSERT_TRUE(agent_.await_output(0, "ready\n"));
  for (const int number : {SIGUSR1, SIGUSR2})
    for (const pid_t pid : {static_cast<pid_t>(hello->pid), agent_.pid()}) ::kill(pid, number);
  EXPECT_EQ(end_after(protocol::Stop{}), 0);
}

TEST_F(Agent, KilledTakesItsRanksAlong) {
  agent_.send(folder_.shell("trap '' TERM HUP; echo me=$$ ready; while :; do read line; done"));
  ASSERT_TRUE(agent_.await_output(0, "ready"));
  const pid_t rank = pid_in(agent_.output(0), "me");
  ::kill(agent_.pid(), SIGKILL);
  EXPECT_EQ(agent_.wait(), 128 + SIGKILL);
  EXPECT_TRUE(await_end(rank));
}

using Folders = TerminationTest;

TEST_F(Folders, AreRemovedWithoutFollowingLinksOutOfThem) {
  std::filesystem::create_directories(folder_.path() / "precious/inner");
  protocol::Start start = folder_.shell(
      "mkdir -p deep/er; touch deep/er/file .hidden; ln -s \"$P\" link;"
      "mkfifo pipe; touch \"$S/segment\"");
  start.ranks[0].workdir = start.scratch;
  start.ranks[0].environment = {"P=" + (folder_.path() / "precious").string(), "S=" + start.shm_folder};
  EXPECT_EQ(end_after(start), 0);
  EXPECT_EQ(agent_.await<protocol::Exited>()->code, 0);
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "precious/inner"));
}

class Stream : public TerminationTest, public testing::WithParamInterface<std::string> {};

TEST_P(Stream, ThatIsNoneOfOursEndsEverything) {
  start_stubborn(100);
  agent_.send_bytes(GetParam());
  EXPECT_NE(agent_.await<protocol::Failed>(), nullptr);
  EXPECT_EQ(agent_.wait(), 1);
  expect_all_gone();
  expect_no_folders();
}

INSTANTIATE_TEST_SUITE_P(Nonsense, Stream,
                         testing::Values("GET / HTTP/1.1\r\n\r\n", std::string("\1\0\0\0\377x", 6),
                                         protocol::encode(protocol::Done{}),
                                         protocol::encode(protocol::Start{}),
                                         protocol::encode(protocol::Signal{4711})));

}  // namespace
}  // namespace adarun::launcher::agent
