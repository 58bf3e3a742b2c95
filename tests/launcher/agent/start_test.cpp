// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

struct BadStart {
  std::string name;
  std::vector<std::string> argv;
  std::string workdir;
  protocol::StartFailure failure;
  std::string said;
};

void PrintTo(const BadStart& bad, std::ostream* out) {
  *out << bad.name;
}

class StartFails : public testing::TestWithParam<BadStart> {};

TEST_P(StartFails, WithTheReasonAndEndsWhatRuns) {
  JobFolder folder;
  std::ofstream(folder.path() / "no_interpreter") << "#!/no/such/interpreter\n";
  std::ofstream(folder.path() / "no_shebang") << "echo hello\n";
  std::ofstream(folder.path() / "windows") << "#!/bin/sh\r\necho hello\r\n";
  for (const char* script : {"no_interpreter", "no_shebang", "windows"})
    std::filesystem::permissions(folder.path() / script, std::filesystem::perms::owner_all);
  protocol::Start start = folder.start({{"/bin/sleep", "1000"}, GetParam().argv});
  start.ranks[1].workdir = GetParam().workdir.empty() ? folder.path().string() : GetParam().workdir;
  AgentProcess agent;
  agent.send(start);
  const auto* failed = agent.await<protocol::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->failure, GetParam().failure) << failed->message;
  EXPECT_NE(failed->message.find("rank 1"), std::string::npos) << failed->message;
  EXPECT_NE(failed->message.find(GetParam().said), std::string::npos) << failed->message;
  ASSERT_NE(agent.await<protocol::Done>(), nullptr);
  EXPECT_EQ(agent.wait(), 1);
  for (const protocol::Message& message : agent.seen())
    if (const auto* started = std::get_if<protocol::Started>(&message)) {
      EXPECT_TRUE(is_gone(static_cast<pid_t>(started->pid)));
    }
}

using protocol::StartFailure;
INSTANTIATE_TEST_SUITE_P(
    Reasons, StartFails,
    testing::Values(
        BadStart{"MissingInPath", {"no-such-program"}, "", StartFailure::not_found, "PATH"},
        BadStart{"MissingByPath", {"/no/such/program"}, "", StartFailure::not_found, "No such file"},
        BadStart{"MissingInWorkdir", {"./absent"}, "", StartFailure::not_found, "./absent"},
        BadStart{"NotExecutable", {"/etc/passwd"}, "", StartFailure::not_executable, "Permission denied"},
        BadStart{"Folder", {"/tmp"}, "", StartFailure::not_executable, "/tmp"},
        BadStart{"InterpreterMissing", {"./no_interpreter"}, "", StartFailure::not_executable, "interpreter"},
        BadStart{"LineEndsAsOnWindows",
                 {"./windows"},
                 "",
                 StartFailure::not_executable,
                 "(#!/bin/sh, and a carriage return"},
        BadStart{"ScriptWithoutFirstLine", {"./no_shebang"}, "", StartFailure::not_executable, "#!"},
        BadStart{"EmptyName", {""}, "", StartFailure::not_found, "\"\""},
        BadStart{
            "WorkdirMissing", {"/bin/true"}, "/no/such/folder", StartFailure::refused, "/no/such/folder"}));

using Start = AgentTest;

TEST_F(Start, IsAnsweredByASignOfLifeWhileItArrives) {
  const std::string frame = protocol::encode(folder_.shell("echo here"));
  agent_.send_bytes(frame.substr(0, frame.size() / 2));
  ASSERT_NE(agent_.await<protocol::Pong>([](const protocol::Pong& pong) { return pong.sequence == 0; }),
            nullptr)
      << "Pings would wait behind the rest of a long message";
  agent_.send_bytes(frame.substr(frame.size() / 2));
  EXPECT_TRUE(agent_.await_output(0, "here\n"));
  EXPECT_EQ(agent_.wait(), 0);
}

// All ranks at once would keep the agent from hearing and being heard for seconds.
TEST_F(Start, OfManyRanksIsInterruptedByAStop) {
  const protocol::Start start =
      folder_.start(std::vector<std::vector<std::string>>(300, {"/bin/sleep", "1000"}));
  agent_.send_bytes(protocol::encode(start) + protocol::encode(protocol::Stop{true}));
  ASSERT_NE(agent_.await<protocol::Done>(), nullptr);
  EXPECT_EQ(agent_.wait(), 0);
  const auto started = std::count_if(agent_.seen().begin(), agent_.seen().end(), [](const auto& message) {
    return std::holds_alternative<protocol::Started>(message);
  });
  EXPECT_LT(started, 300);
}

TEST_F(Start, RefusesAScratchFolderThatIsThereAndLeavesIt) {
  const protocol::Start start = folder_.shell("true");
  std::filesystem::create_directory(start.scratch);
  agent_.send(start);
  expect_failure(start.scratch);
  EXPECT_EQ(agent_.wait(), 1);
  EXPECT_TRUE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
}

TEST_F(Start, RefusesAStagedFileOutsideItsFolder) {
  protocol::Start start = folder_.shell("true");
  start.files = {{"../escaped", "x"}};
  agent_.send(start);
  ASSERT_NE(agent_.await<protocol::Failed>(), nullptr);
  EXPECT_EQ(agent_.wait(), 1);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "escaped"));
}

TEST_F(Start, PassesArgumentsAndVariablesUnchanged) {
  const std::string odd = "a b'c\"d\n$(e) \xc3\xa9 *";
  protocol::Start start =
      folder_.start({{"printf", "<%s>", odd, "", "--", "[1,2]"}, {"/usr/bin/printenv", "-0", "ODD"}});
  start.ranks[1].environment = {"ODD=" + odd};
  EXPECT_EQ(end_after(start), 0);
  EXPECT_EQ(agent_.output(0), "<" + odd + "><><--><[1,2]>");
  EXPECT_EQ(agent_.output(1), odd + '\0');
}

TEST(StartWithInherited, DropsVariablesOfOtherLaunchersButKeepsThePart) {
  JobFolder folder;
  for (const char* name :
       {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_MCA_orte_x", "SLURM_PROCID"})
    ::setenv(name, "inherited", 1);
  ::setenv("SLURM_JOB_ID", "77", 1);
  protocol::Start start = folder.start({{"/usr/bin/env"}});
  start.ranks[0].environment = {"PMI_RANK=mine"};
  AgentProcess agent;
  agent.send(start);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.output(0).find("inherited"), std::string::npos) << agent.output(0);
  EXPECT_NE(agent.output(0).find("PMI_RANK=mine\n"), std::string::npos);
  EXPECT_NE(agent.output(0).find("SLURM_JOB_ID=77\n"), std::string::npos);
  const auto* started = agent.await<protocol::Started>();
  ASSERT_NE(started, nullptr);
  std::string told;
  for (const std::string& assignment : started->environment) told += assignment + '\n';
  EXPECT_EQ(told, agent.output(0));
}

TEST(StartWithInherited, TellsARankItsWorkingDirectory) {
  JobFolder folder;
  ::setenv("OLDPWD", "/", 1);
  protocol::Start start = folder.start({{"/usr/bin/printenv", "PWD"}, {"/usr/bin/printenv", "OLDPWD"}});
  for (protocol::RankSpec& spec : start.ranks) spec.workdir = "/usr";
  AgentProcess agent;
  agent.send(start);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.output(0), "/usr\n");
  EXPECT_EQ(agent.output(1), "");
}

TEST(StartWithInherited, NamesTheKindOfTerminalThatARankWritesTo) {
  JobFolder folder;
  const char* const before = ::getenv("TERM");
  const std::string kept = before == nullptr ? "" : before;
  ::unsetenv("TERM");
  protocol::Start start = folder.start({{"/usr/bin/printenv", "TERM"}, {"/usr/bin/printenv", "TERM"}});
  start.ranks[1].environment = {"TERM=xterm"};
  AgentProcess agent;
  agent.send(start);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(agent.output(0), "dumb\n");
  EXPECT_EQ(agent.output(1), "xterm\n");
  start = folder.shell("echo ${TERM-none}");
  start.process_limits.out = protocol::Stdout::pipe;
  AgentProcess with_pipe;
  with_pipe.send(start);
  EXPECT_EQ(with_pipe.wait(), 0);
  EXPECT_EQ(with_pipe.output(0), "none\n");
  if (before != nullptr) ::setenv("TERM", kept.c_str(), 1);
}

TEST_F(Start, LooksProgramsUpInTheRanksOwnPath) {
  std::ofstream(folder_.path() / "greet") << "#!/bin/sh\necho hello\n";
  std::filesystem::permissions(folder_.path() / "greet", std::filesystem::perms::owner_all);
  protocol::Start start = folder_.start({{"greet"}});
  start.ranks[0].environment = {"PATH=/no/such:" + folder_.path().string()};
  EXPECT_EQ(end_after(start), 0);
  EXPECT_EQ(agent_.output(0), "hello\n");
}

TEST_F(Start, StagesFilesForTheOwnerAloneAndRemovesThemAtTheEnd) {
  protocol::Start start = folder_.shell(
      "cat \"$F\"; stat -c ' %a' \"$F\" \"${F%/*}\" \"$S\"; pwd; flock -n \"${F%/*}\" true; echo lock=$?");
  const std::string content("{\0}\n", 4);
  start.files = {{"table.json", content}};
  start.ranks[0].environment = {"F=" + start.scratch + "/table.json", "S=" + start.shm_folder};
  start.ranks[0].workdir = "/usr";
  EXPECT_EQ(end_after(start), 0);
  EXPECT_EQ(agent_.output(0), content + " 600\n 700\n 700\n/usr\nlock=1\n");
  EXPECT_FALSE(std::filesystem::exists(start.scratch));
  EXPECT_FALSE(std::filesystem::exists(start.shm_folder));
}

TEST(StartWithInherited, GivesARankNothingOfTheAgents) {
  JobFolder folder;
  ::signal(SIGUSR1, SIG_IGN);
  AgentProcess agent;
  ::signal(SIGUSR1, SIG_DFL);
  agent.send(folder.shell(
      "ls -1 /proc/self/fd; readlink /proc/self/fd/0; grep -E 'Sig(Blk|Ign)' /proc/self/status; "
      "test -t 1 && echo terminal; test -t 2 || echo pipe; ps -o pgid= -p $$ | tr -d ' '; echo $$"));
  EXPECT_EQ(agent.wait(), 0);
  const std::string output = agent.output(0);
  // ls has opened the folder that it lists as 3.
  const std::string wanted =
      "0\n1\n2\n3\n/dev/null\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nterminal\npipe\n";
  ASSERT_EQ(output.substr(0, wanted.size()), wanted);
  const std::string rest = output.substr(wanted.size());
  EXPECT_EQ(rest.substr(0, rest.find('\n')), rest.substr(rest.find('\n') + 1, rest.find('\n')))
      << "leader of its group";
}

// The scheduler groups processes by session: ranks in sessions of their own would not yield to each other.
TEST_F(Start, PutsAllRanksIntoOneSessionWithoutATerminal) {
  const std::vector<std::string> shell{
      "/bin/sh", "-c", "true 3<> /dev/stdout; true < /dev/tty && echo a terminal; ps -o sid=,tty= -p $$"};
  agent_.send(folder_.start({shell, shell}));
  const std::string session = std::to_string(agent_.pid()) + " ?";  // Led by the process above the agent_.
  EXPECT_EQ(agent_.wait(), 0);
  EXPECT_EQ(agent_.output(0), agent_.output(1));
  EXPECT_NE(agent_.output(0).find(session), std::string::npos) << agent_.output(0);
  EXPECT_EQ(agent_.output(0).find("a terminal"), std::string::npos);
}

}  // namespace
}  // namespace adarun::launcher::agent
