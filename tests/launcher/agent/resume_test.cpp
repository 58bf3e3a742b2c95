// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/unix_socket.h"
#include "tests/as_another_user.h"
#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

namespace fs = std::filesystem;

/// The process that passes a further connection to an agent; the other end of the connection is not used.
class Bringer {
 public:
  explicit Bringer(const std::vector<std::string>& command) {
    EXPECT_EQ(::pipe2(to_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(from_.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::dup2(to_[0], STDIN_FILENO);
    ::dup2(from_[1], STDOUT_FILENO);
    ::execl(command[0].c_str(), command[0].c_str(), command[1].c_str(), command[2].c_str(), nullptr);
    ::_exit(127);
  }
  ~Bringer() {
    for (const int end : {to_[0], to_[1], from_[0], from_[1]}) ::close(end);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Bringer(const Bringer&) = delete;
  Bringer& operator=(const Bringer&) = delete;

 private:
  std::array<int, 2> to_{};
  std::array<int, 2> from_{};
  pid_t pid_ = -1;
};

// Starts a job that can be reconnected to, and returns when it runs.
protocol::Start begin(AgentProcess& agent, const JobFolder& folder) {
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  protocol::Start start = folder.shell("echo ready; exec sleep 1000");
  start.scratch += "-0123456789abcdef";
  start.resumable = true;
  agent.send(start);
  EXPECT_TRUE(agent.await_output(0, "ready\n"));
  return start;
}

// Without the timeout of an agent whose launcher may reconnect.
void end(AgentProcess& agent) {
  ::kill(static_cast<pid_t>(agent.await<protocol::Hello>()->pid), SIGKILL);
  EXPECT_EQ(agent.wait(), 128 + SIGKILL);
}

TEST(Resume, NeedsNoFolderBesideTheScratchFolder) {
  JobFolder folder;
  fs::create_directory(folder.path() / "scratch-0123456789abcdef.resume");  // As of another user.
  AgentProcess agent;
  const protocol::Start start = begin(agent, folder);
  const auto* rendezvous = agent.await<protocol::Rendezvous>();
  ASSERT_NE(rendezvous, nullptr);
  EXPECT_EQ(rendezvous->command.at(2), start.scratch + "/socket");
  agent.send(protocol::Stop{true});
  ASSERT_NE(agent.await<protocol::Done>(), nullptr);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(start.scratch)) left.push_back(entry.path().filename());
  EXPECT_EQ(left, std::vector<std::string>{"socket"}) << "what has not been received yet can be sent again";
  end(agent);
}

TEST(Resume, EndsTheFirstConnection) {
  JobFolder folder;
  AgentProcess agent;
  begin(agent, folder);
  const auto* rendezvous = agent.await<protocol::Rendezvous>();
  ASSERT_NE(rendezvous, nullptr);
  const Bringer bringer(rendezvous->command);
  while (agent.next()) {
  }
  pollfd ended{agent.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 0), 1);
  EXPECT_NE(ended.revents & POLLHUP, 0) << "the watchdog holds it";
  end(agent);
}

TEST(Resume, RunsTheProgramThatHasTakenTheAgentsPlace) {
  JobFolder folder;
  const fs::path program = folder.path() / "adarun-agent";
  {
    AgentProcess built;
    ASSERT_NE(built.await<protocol::Hello>(), nullptr);
    fs::copy_file(fs::read_symlink("/proc/" + std::to_string(built.pid()) + "/exe"), program);
  }
  AgentProcess agent(program);
  ASSERT_NE(agent.await<protocol::Hello>(), nullptr);
  fs::copy_file(program, folder.path() / "again");
  fs::rename(folder.path() / "again", program);
  begin(agent, folder);
  const auto* rendezvous = agent.await<protocol::Rendezvous>();
  ASSERT_NE(rendezvous, nullptr);
  EXPECT_EQ(rendezvous->command.at(0), program);
  end(agent);
}

TEST(UndeliveredRequest, IsRefusedWhileTheAgentOfTheJobCanBeMet) {
  JobFolder folder;
  AgentProcess agent;
  const protocol::Start start = begin(agent, folder);
  AgentProcess other;
  other.send(protocol::UndeliveredRequest{start.job_id, 0, folder.path() / "scratch"});
  const auto* failed = other.await<protocol::Failed>();
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(failed->message.find("its agent still runs"), std::string::npos) << failed->message;
  end(agent);
}

TEST(UndeliveredRequest, IsNotKeptBackByFoldersInWhichNoAgentOfOursCanBeMet) {
  JobFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  for (const char* name : {"scratch", "scratch-0", "scratch-1/socket", "scratch-2"})
    fs::create_directories(folder.path() / name);
  base::FileDescriptor listening;  // In place of another user's socket.
  if (::geteuid() == 0) {
    for (const fs::path& open : {folder.path(), folder.path() / "scratch-2"})
      fs::permissions(open, fs::perms::all);
    ASSERT_EQ(::seteuid(test::another_uid), 0);
    listening = base::listen_at(folder.path() / "scratch-2/socket");
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_TRUE(listening);
  }
  AgentProcess agent;
  agent.send(protocol::UndeliveredRequest{"job", 0, folder.path() / "scratch"});
  const auto* recalled = agent.await<protocol::UndeliveredReply>();
  ASSERT_NE(recalled, nullptr);
  EXPECT_FALSE(recalled->found);
  agent.send(protocol::Stop{true});
  EXPECT_EQ(agent.wait(), 0);
}

}  // namespace
}  // namespace adarun::launcher::agent
